"""The comparison as a page to read: each published table, ours beside it, and the verdicts."""

from collections import Counter
from itertools import groupby

from semblance.reporting.published import Published


def ledger(records: list[dict], published: Published, tolerance: float) -> str:
    """Return Markdown: a summary, one section for each published table, the known slips."""
    counts = Counter(record["verdict"] for record in records)
    summary = ", ".join(f"{number} {verdict}" for verdict, number in sorted(counts.items()))
    reading = (
        f"All numbers are points. Verdict “within”: |difference| ≤ max({tolerance:g}, 2 sd of our seeds); "
        "“below” and “above” lie outside; “not run”: no complete score; “stand-in, not comparable”: other data "
        "or models than the paper's, the difference is for orientation. Ours: mean ± sample sd over n seeds.\n"
    )
    parts = ["# Published and measured\n", f"{len(records)} comparisons: {summary}.\n", reading]
    for (paper, number), group in groupby(
        records, key=lambda r: (r["entry"].paper, r["entry"].table)
    ):
        heading = (
            f"{published.titles[paper]}, Table {number}: {published.titles[f'{paper}/{number}']}"
        )
        parts += [f"\n## {_safe(heading)}\n", *_section(list(group))]
    return "\n".join([*parts, *_slips(published)]) + "\n"


def _section(records: list[dict]) -> list[str]:
    run = [record for record in records if record["verdict"] != "not run"]
    lines = []
    if run:
        lines = [
            "| row | column | paper | ours | n | difference | verdict | our table, row |",
            "| --- | --- | ---: | ---: | ---: | ---: | --- | --- |",
            *map(_line, run),
            "",
        ]
    idle = Counter(record["entry"].row for record in records if record["verdict"] == "not run")
    if idle:
        lines.append(
            "Not run: "
            + "; ".join(f"{_safe(row)} ({number} cells)" for row, number in idle.items())
            + "."
        )
    return lines


def _line(record: dict) -> str:
    entry = record["entry"]
    paper = f"{entry.mark}{entry.value:.2f}" + (
        f" ± {entry.sd:.2f}" if entry.sd is not None else ""
    )
    spread = "–" if record["sd"] is None else f"{record['sd']:.2f}"
    cells = [
        entry.row,
        entry.column,
        paper,
        f"{record['mean']:.2f} ± {spread}",
        str(record["n"]),
        f"{record['difference']:+.2f}",
        record["verdict"],
        f"{record['table']}, {record['label']}",
    ]
    return "| " + " | ".join(map(_safe, cells)) + " |"


def _slips(published: Published) -> list[str]:
    lines = [
        f"- {slip.paper}, Table {slip.table}, {slip.row}: {slip.note}" for slip in published.slips
    ]
    return ["\n## Known slips in print\n", *map(_safe, lines)]


def _safe(text: str) -> str:
    return "".join("\\" + letter if letter in "\\|*_`<>[]" else letter for letter in text)
