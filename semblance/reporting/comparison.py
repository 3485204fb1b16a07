"""The papers' numbers beside ours: in the cells of a table, with verdicts, and as a page to read.

A table of ours claims a published row in its settings. A published cell without a score of ours is
"not run": no table claims it, or one of the runs behind our row has no score.
"""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby

from semblance.counts import counted
from semblance.reporting.formats import escape_markdown
from semblance.reporting.grids import with_deviation
from semblance.reporting.published import Entry, Published
from semblance.reporting.significance import Estimate
from semblance.reporting.table import Cell, Row, Table
from semblance.reporting.verdicts import of_no_difference

# In points; below the spread between seeds that a public 50-seed rerun of SimCSE shows (sd .8).
TOLERANCE = 0.5
# Our word for each verdict on "our mean equals the printed number".
WORDS = {"reproduced": "equal", "contradicted": "differs", "undecided": "open"}
STAND_IN = "stand-in, not comparable"
NOT_RUN = "not run"
READING = (
    "All numbers are in points; ours are mean ± sample standard deviation (sd) over n seeds. "
    "Verdicts are of the 95 % interval of our mean over other seeds: “equal”, two one-sided tests show "
    "less than ±{tolerance} from the printed number; “differs”, the interval lies beyond ±{tolerance}; "
    "“open”, neither. A printed number is a mean of few runs, too. Where the paper prints its ±, this "
    "is part of the interval; everywhere else a noisy mean is judged against a number that is taken "
    "as exact, so that “differs” may be the paper's luck. “quoted”: a number that the paper quotes from "
    "others. “stand-in, not comparable”, our row has another base, other data or other "
    "settings than the paper's: in which it differs stands below each table. There also stand the "
    "printed cells without a score of ours.\n"
)
# Why a printed cell has no score of ours.
NO_TABLE = "no table of this run has the row, measured as in the paper"
NO_SCORE = "at least one run behind our row has no score"
HEADER = [
    "| row | column | paper | ours | n | difference | verdict | our table, row |",
    "| --- | --- | ---: | ---: | ---: | ---: | --- | --- |",
]


@dataclass(frozen=True)
class Comparison:
    """A printed number beside ours, in points; None where there is no value of ours.

    ``reasons`` says in what our row differs from the paper's; then there is no difference to show.
    """

    entry: Entry
    verdict: str
    table: str | None = None
    label: str | None = None
    mean: float | None = None
    sd: float | None = None
    n: int = 0
    difference: float | None = None
    reasons: tuple[str, ...] = ()


def attach(table: Table, published: Published) -> Table:
    """Put the published values into the cells of the rows that claim them.

    Protocol, metric and aggregation must be the same. Beside a stand-in the values are for
    orientation only.
    """
    rows = []
    for row in table.rows:
        claimed = _claimed(table, row, published)
        values = {column: entry.value for column, entry in claimed.items()}
        cells = {
            column: replace(cell, published=values.get(column))
            for column, cell in row.cells.items()
        }
        rows.append(replace(row, cells=cells))
    return replace(table, rows=tuple(rows))


def _claimed(table: Table, row: Row, published: Published) -> dict[str, Entry]:
    """Return the printed numbers that a row claims and that were measured in the table's way."""
    if not row.published:
        return {}
    return {
        column: entry
        for column, entry in published.row(row.published).items()
        if entry.protocol == row.protocol
        and entry.metric in ("", table.metric)
        and entry.aggregation in ("", table.aggregation)
    }


def compare(
    tables: Iterable[Table], published: Published, tolerance: float = TOLERANCE
) -> list[Comparison]:
    """Compare each published cell with each of our rows that claims it, in the papers' order.

    Verdicts: ``equal``, ``differs`` or ``open``, by the interval of our mean against ±tolerance;
    ``not run``; ``stand-in, not comparable`` where our row has other sources than the paper's.
    """
    ours: dict[tuple[str, str], list[Comparison]] = {}
    for table in tables:
        for row in table.rows:
            for column, entry in _claimed(table, row, published).items():
                if column in row.cells:
                    found = _comparison(entry, table, row, tolerance)
                    ours.setdefault((entry.name, column), []).append(found)
    comparisons = []
    for entry in published.entries:
        comparisons += ours.get((entry.name, entry.column), [Comparison(entry, NOT_RUN)])
    return comparisons


def _comparison(entry: Entry, table: Table, row: Row, tolerance: float) -> Comparison:
    cell = row.cells[entry.column]
    difference = None
    if cell.mean is not None and not row.stand_in:
        difference = cell.mean - entry.value
    return Comparison(
        entry=entry,
        verdict=_verdict(entry, cell, difference, tolerance, row.is_untrained),
        table=table.name,
        label=row.label,
        mean=cell.mean,
        sd=cell.sd,
        n=cell.n,
        difference=difference,
        reasons=row.stand_in,
    )


def _verdict(
    entry: Entry, cell: Cell, difference: float | None, tolerance: float, untrained: bool
) -> str:
    if cell.mean is None:
        return NOT_RUN
    if difference is None:
        return STAND_IN
    printed = 0.0 if entry.sd is None else entry.sd / math.sqrt(entry.runs)
    if untrained:
        error, freedom = 0.0, math.inf
    elif cell.sd is None:
        return "open"  # nobody knows what another seed would give
    else:
        error, freedom = cell.sd / math.sqrt(cell.n), cell.n - 1
    found = Estimate(difference, error, freedom, more=printed)
    return WORDS[of_no_difference(found, tolerance)]


def ledger(records: list[Comparison], published: Published, tolerance: float) -> str:
    """Return Markdown: a summary, one section for each published table, the known slips."""
    parts = [
        "# Published and measured\n",
        f"{_summary(records)}\n",
        READING.format(tolerance=f"{tolerance:g}"),
    ]
    for (paper, number), group in groupby(records, key=_printed_table):
        title = published.titles[f"{paper}/{number}"]
        heading = f"{published.titles[paper]}, Table {number}: {title}"
        parts += [f"\n## {escape_markdown(heading)}\n", *_section(list(group))]
    return "\n".join([*parts, *_slips(published)]) + "\n"


def _summary(records: list[Comparison]) -> str:
    """Return how many printed numbers got which verdict, and how many have no score and why."""
    counts = Counter(record.verdict for record in records)
    lacking = counts.pop(NOT_RUN, 0)
    verdicts = [f"{number:,} {verdict}" for verdict, number in sorted(counts.items())]
    if lacking:
        unclaimed = sum(record.table is None for record in records)
        verdicts.append(
            f"{lacking:,} without a score of ours ({unclaimed:,}: {NO_TABLE}; "
            f"{lacking - unclaimed:,}: {NO_SCORE})"
        )
    return f"{counted(len(records), 'comparison')}: {', '.join(verdicts)}."


def _printed_table(record: Comparison) -> tuple[str, str]:
    entry = record.entry
    return entry.paper, entry.table


def _section(records: list[Comparison]) -> list[str]:
    lines = [_line(record) for record in records if record.verdict != NOT_RUN]
    if lines:
        lines = [*HEADER, *lines, "", *_stand_ins(records)]
    return lines + _without_score(records)


def _without_score(records: list[Comparison]) -> list[str]:
    """Return for each reason the printed rows that have no score of ours, and how many cells."""
    cells: dict[str, Counter[str]] = {}
    for record in records:
        if record.verdict == NOT_RUN:
            cells.setdefault(_reason(record), Counter())[record.entry.row] += 1
    lines = []
    for reason, counts in cells.items():
        rows = [f"“{row}” ({counted(number, 'cell')})" for row, number in counts.items()]
        lines.append(
            escape_markdown(f"- without a score of ours, because {reason}: {', '.join(rows)}")
        )
    return lines


def _reason(record: Comparison) -> str:
    """Return why a printed cell has no score of ours."""
    if record.table is None:
        return NO_TABLE
    return f"{NO_SCORE} ({record.table}, {record.label})"


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
    paper = f"{entry.mark}{with_deviation(entry.value, entry.sd)}"
    difference = "–"
    if record.difference is not None:
        difference = f"{record.difference:+z.2f}"
    cells = [
        f"{entry.row} (quoted: {entry.quoted})" if entry.quoted else entry.row,
        entry.column,
        paper,
        with_deviation(record.mean, record.sd),
        str(record.n),
        difference,
        record.verdict,
        f"{record.table}, {record.label}",
    ]
    return "| " + " | ".join(map(escape_markdown, cells)) + " |"


def _slips(published: Published) -> list[str]:
    lines = [f"- {slip.where}: {slip.note}" for slip in published.slips]
    return ["\n## Known errors in print\n", *map(escape_markdown, lines)]
