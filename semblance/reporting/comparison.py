"""The comparison as a page to read: each published table, ours beside it, and the verdicts."""

from collections import Counter
from itertools import groupby

from semblance.reporting.formats import escape_markdown, spread
from semblance.reporting.published import NOT_RUN, Comparison, Published

READING = (
    "All numbers are in points; ours are mean ± sample standard deviation (sd) over n seeds. "
    "Verdicts: “within”, |difference| ≤ max({tolerance}, 2 sd of our seeds); “below” and “above”, "
    "a larger difference; “not run”, at least one score is missing; “stand-in, not comparable”, "
    "our row has another base, other data or other settings than the paper's: in which it differs "
    "stands below each table.\n"
)
HEADER = [
    "| row | column | paper | ours | n | difference | verdict | our table, row |",
    "| --- | --- | ---: | ---: | ---: | ---: | --- | --- |",
]


def ledger(records: list[Comparison], published: Published, tolerance: float) -> str:
    """Return Markdown: a summary, one section for each published table, the known slips."""
    counts = Counter(record.verdict for record in records)
    summary = ", ".join(f"{number} {verdict}" for verdict, number in sorted(counts.items()))
    parts = [
        "# Published and measured\n",
        f"{len(records)} comparisons: {summary}.\n",
        READING.format(tolerance=f"{tolerance:g}"),
    ]
    for (paper, number), group in groupby(records, key=_printed_table):
        title = published.titles[f"{paper}/{number}"]
        heading = f"{published.titles[paper]}, Table {number}: {title}"
        parts += [f"\n## {escape_markdown(heading)}\n", *_section(list(group))]
    return "\n".join([*parts, *_slips(published)]) + "\n"


def _printed_table(record: Comparison) -> tuple[str, str]:
    entry = record.entry
    return entry.paper, entry.table


def _section(records: list[Comparison]) -> list[str]:
    lines = [_line(record) for record in records if record.verdict != NOT_RUN]
    if lines:
        lines = [*HEADER, *lines, "", *_stand_ins(records)]
    not_run = Counter(record.entry.row for record in records if record.verdict == NOT_RUN)
    if not_run:
        rows = [f"{escape_markdown(row)} ({number} cells)" for row, number in not_run.items()]
        lines.append(f"Not run: {'; '.join(rows)}.")
    return lines


def _stand_ins(records: list[Comparison]) -> list[str]:
    """Return for each of our rows that is a stand-in the line that says in what it differs."""
    lines: dict[str, None] = {}
    for record in records:
        if record.reasons:
            ours = f"{record.table}, {record.label}"
            line = f"- stand-in {ours}: {'; '.join(record.reasons)}"
            lines[escape_markdown(line)] = None
    if not lines:
        return []
    return [*lines, ""]


def _line(record: Comparison) -> str:
    entry = record.entry
    paper = f"{entry.mark}{entry.value:.2f}"
    if entry.sd is not None:
        paper += f" ± {spread(entry.sd)}"
    difference = "–"
    if record.difference is not None:
        difference = f"{record.difference:+.2f}"
    cells = [
        entry.row,
        entry.column,
        paper,
        f"{record.mean:.2f} ± {spread(record.sd)}",
        str(record.n),
        difference,
        record.verdict,
        f"{record.table}, {record.label}",
    ]
    return "| " + " | ".join(map(escape_markdown, cells)) + " |"


def _slips(published: Published) -> list[str]:
    lines = [
        f"- {slip.paper}, Table {slip.table}, {slip.row}: {slip.note}" for slip in published.slips
    ]
    return ["\n## Known errors in print\n", *map(escape_markdown, lines)]
