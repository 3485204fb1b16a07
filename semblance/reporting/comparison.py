"""The papers' numbers beside ours: in the cells of a table, with verdicts, and as a page to read.

A table of ours claims a published row in its settings. A published cell without a score of ours is
"not run": no table claims it, or one of the runs behind our row has no score.
"""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby

from semblance.counts import counted, signed
from semblance.reporting.formats import escape_markdown, markdown_line
from semblance.reporting.grids import with_deviation
from semblance.reporting.published import Entry, Published
from semblance.reporting.table import Cell, Row, Table
from semblance.statistics.significance import Estimate
from semblance.statistics.verdicts import of_no_difference

# In points; below the spread between seeds that a public 50-seed rerun of SimCSE shows (sd .8).
TOLERANCE = 0.5
# Our word for each verdict on "our mean equals the printed number".
WORDS = {"reproduced": "equal", "contradicted": "differs", "undecided": "open"}
STAND_IN = "stand-in, not comparable"
NOT_RUN = "not run"
READING = (
    "All numbers are in points; ours are mean ± sample standard deviation (sd) over n seeds. "
    "Verdicts are of the 95 % interval of our mean over other seeds: “equal”, of three seeds "
    "or more it lies within ±{tolerance} of the printed number; “differs”, the interval lies beyond ±{tolerance}; "
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
class ComparedCell:
    """A printed number beside ours, in points; without ``row`` no table of ours claims it."""

    entry: Entry
    verdict: str
    table: str | None = None
    row: Row | None = None

    @property
    def cell(self) -> Cell:
        """Our cell."""
        return self.row.cells[self.entry.column]

    @property
    def difference(self) -> float | None:
        """Ours less the printed number; None without a value of ours, and for a stand-in."""
        if self.cell.mean is None or self.row.stand_in:
            return None
        return self.cell.mean - self.entry.value

    @property
    def ours(self) -> str:
        """The name of our row."""
        return f"{self.table}, {self.row.label}"


def attach(table: Table, published: Published) -> Table:
    """Put the published values into the cells of the rows that claim them.

    Protocol, metric and aggregation must be the same. Beside a stand-in the values are for
    orientation only.
    """
    rows = []
    for row in table.rows:
        claimed = _claimed(table, row, published)
        cells = dict(row.cells)
        for column, cell in cells.items():
            value = claimed[column].value if column in claimed else None
            cells[column] = replace(cell, published=value)
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


def compare_published(
    tables: Iterable[Table], published: Published, tolerance: float
) -> list[ComparedCell]:
    """Compare each published cell with each of our rows that claims it, in the papers' order.

    Verdicts: ``equal``, ``differs`` or ``open``, by the interval of our mean against ±tolerance;
    ``not run``; ``stand-in, not comparable`` where our row has other sources than the paper's.
    """
    ours: dict[tuple[str, str], list[ComparedCell]] = {}
    for table in tables:
        for row in table.rows:
            for column, entry in _claimed(table, row, published).items():
                if column in row.cells:
                    verdict = _verdict(entry, row, tolerance)
                    cell = ComparedCell(entry, verdict, table.name, row)
                    ours.setdefault((entry.name, column), []).append(cell)
    compared = []
    for entry in published.entries:
        compared += ours.get((entry.name, entry.column), [ComparedCell(entry, NOT_RUN)])
    return compared


def _verdict(entry: Entry, row: Row, tolerance: float) -> str:
    cell = row.cells[entry.column]
    if cell.mean is None:
        return NOT_RUN
    if row.stand_in:
        return STAND_IN
    printed = 0.0 if entry.sd is None else entry.sd / math.sqrt(entry.runs)
    if row.is_untrained:
        error, n = 0.0, math.inf
    elif cell.sd is None:
        return "open"  # nobody knows what another seed would give
    else:
        error, n = cell.sd / math.sqrt(cell.n), cell.n
    estimate = Estimate(cell.mean - entry.value, error, n - 1, more=printed, seeds=n)
    return WORDS[of_no_difference(estimate, tolerance)]


def ledger(tables: Iterable[Table], published: Published, tolerance: float = TOLERANCE) -> str:
    """Return the comparison as Markdown: a summary, one section for each published table."""
    compared = compare_published(tables, published, tolerance)
    lines = [
        "# Published and measured\n",
        f"{_summary(compared)}\n",
        READING.format(tolerance=f"{tolerance:g}"),
    ]
    for (paper, number), group in groupby(
        compared, key=lambda one: (one.entry.paper, one.entry.table)
    ):
        title = published.titles[f"{paper}/{number}"]
        heading = f"{published.titles[paper]}, Table {number}: {title}"
        lines += [f"\n## {escape_markdown(heading)}\n", *_section(list(group))]
    return "\n".join(lines) + "\n"


def _summary(compared: list[ComparedCell]) -> str:
    """Return how many printed numbers got which verdict, and how many have no score and why."""
    counts = Counter(one.verdict for one in compared)
    lacking = counts.pop(NOT_RUN, 0)
    verdicts = [f"{number:,} {verdict}" for verdict, number in sorted(counts.items())]
    if lacking:
        unclaimed = sum(one.row is None for one in compared)
        verdicts.append(
            f"{lacking:,} without a score of ours ({unclaimed:,}: {NO_TABLE}; "
            f"{lacking - unclaimed:,}: {NO_SCORE})"
        )
    return f"{counted(len(compared), 'comparison')}: {', '.join(verdicts)}."


def _section(compared: list[ComparedCell]) -> list[str]:
    """Return the cells of a printed table that have a score; below them stand-ins, and the rest."""
    lines = [_line(one) for one in compared if one.verdict != NOT_RUN]
    if lines:
        lines = [*HEADER, *lines, ""]
        stand_ins = [one for one in compared if one.row and one.row.stand_in]
        notes = [f"- stand-in {one.ours}: {'; '.join(one.row.stand_in)}" for one in stand_ins]
        if notes:
            lines += [*map(escape_markdown, dict.fromkeys(notes)), ""]
    return lines + _without_score(compared)


def _without_score(compared: list[ComparedCell]) -> list[str]:
    """Return for each reason the printed rows that have no score of ours, and how many cells."""
    cells: dict[str, Counter[str]] = {}
    for one in compared:
        if one.verdict == NOT_RUN:
            reason = f"{NO_SCORE} ({one.ours})" if one.row else NO_TABLE
            cells.setdefault(reason, Counter())[one.entry.row] += 1
    lines = []
    for reason, counts in cells.items():
        rows = [f"“{row}” ({counted(number, 'cell')})" for row, number in counts.items()]
        lines.append(f"- without a score of ours, because {reason}: {', '.join(rows)}")
    return [escape_markdown(line) for line in lines]


def _line(one: ComparedCell) -> str:
    entry, cell = one.entry, one.cell
    cells = [
        f"{entry.row} (quoted: {entry.quoted})" if entry.quoted else entry.row,
        entry.column,
        entry.mark + with_deviation(entry.value, entry.sd),
        with_deviation(cell.mean, cell.sd),
        str(cell.n),
        signed(one.difference) or "–",
        one.verdict,
        one.ours,
    ]
    return markdown_line(cells)
