"""The papers' numbers beside ours: in the cells of a table, with verdicts, and as a page to read.

A table of ours claims a published row in its settings. A published cell without a score of ours is
"not run": no table claims it, or one of the runs behind our row has no score.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from semblance.counts import counted, signed
from semblance.reporting.formats import escape_markdown, markdown_line
from semblance.reporting.grids import NAMES, with_deviation
from semblance.reporting.layouts import find_layout
from semblance.reporting.published import Entry, Other, Published
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
    f"or more it lies within ±{TOLERANCE:g} of the printed number; “differs”, the interval lies beyond ±{TOLERANCE:g}; "
    "“open”, neither. A printed number is a mean of few runs, too. Where the paper prints its ±, this "
    "is part of the interval; everywhere else a noisy mean is judged against a number that is taken "
    "as exact, so that “differs” may be the paper's luck. “others”: what somebody else measured of the "
    "row, and by whose code; “equals”: whether ours equals the paper, the independents, both or "
    "neither. “quoted”: a number that the paper quotes from "
    "others. “stand-in”, our row has another base, other data or other settings than the paper's, so that "
    "it is not compared: in which it differs stands below each table."
)
# Why a printed cell has no score of ours.
NO_TABLE = "no table of this run has the row, measured as in the paper"
NO_SCORE = "at least one run behind our row has no score"


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
        values = {column: entry.value for column, entry in _printed(table, row, published).items()}
        cells = {c: replace(cell, published=values.get(c)) for c, cell in row.cells.items()}
        rows.append(replace(row, cells=cells))
    return replace(table, rows=tuple(rows))


def _printed(table: Table, row: Row, published: Published) -> dict[str, Entry]:
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


def compare_published(tables: Iterable[Table], published: Published) -> list[ComparedCell]:
    """Compare each published cell with each of our rows that claims it, in the papers' order.

    Verdicts: ``equal``, ``differs`` or ``open``, by the interval of our mean against ±TOLERANCE;
    ``not run``; ``stand-in, not comparable`` where our row has other sources than the paper's.
    """
    ours: dict[tuple[str, str], list[ComparedCell]] = {}
    for table in tables:
        layout = find_layout(table.layout)
        for row in table.rows:
            for column, entry in _printed(table, row, published).items():
                if column in row.cells:
                    verdict = _verdict(entry, row)
                    if verdict in WORDS.values() and layout.is_of_best_seeds(column):
                        verdict = "open"  # of the best seeds no interval is known
                    cell = ComparedCell(entry, verdict, table.name, row)
                    ours.setdefault((entry.name, column), []).append(cell)
    compared = []
    for entry in published.entries:
        compared += ours.get((entry.name, entry.column), [ComparedCell(entry, NOT_RUN)])
    return compared


def _verdict(entry: Entry, row: Row) -> str:
    if row.cells[entry.column].mean is None:
        return NOT_RUN
    if row.stand_in:
        return STAND_IN
    printed = 0.0 if entry.sd is None else entry.sd / math.sqrt(entry.runs)
    return _equal(row, entry.column, Estimate(entry.value, printed, math.inf))


def _equal(row: Row, column: str, theirs: Estimate) -> str:
    """Return the verdict on "our mean equals theirs"."""
    cell = row.cells[column]
    if row.is_untrained:
        error, n = 0.0, math.inf
    elif cell.sd is None:
        return "open"  # nobody knows what another seed would give
    else:
        error, n = cell.sd / math.sqrt(cell.n), cell.n
    estimate = Estimate(cell.mean - theirs.value, error, n - 1, more=theirs.error, seeds=n)
    return WORDS[of_no_difference(estimate, TOLERANCE)]


def equals_whom(one: ComparedCell, others: Iterable[Other]) -> str:
    """Say whether ours equals the paper, the independents, both or neither; empty without any.

    One of the independents with the same mean is enough. Who has one run has no spread: its mean is
    taken as exact, as a number in print is.
    """
    known = [other for other in others if one.entry.column in other.values]
    if not known or one.verdict not in WORDS.values():
        return ""
    verdicts = []
    for other in known:
        error = other.sds.get(one.entry.column, 0.0) / math.sqrt(other.n)
        theirs = Estimate(other.values[one.entry.column], error, math.inf)
        verdicts.append(_equal(one.row, one.entry.column, theirs))
    equal = (one.verdict == "equal", "equal" in verdicts)
    if not any(equal) and "open" in (one.verdict, *verdicts):
        return "open"
    return {
        (True, True): "both",
        (True, False): "the paper",
        (False, True): "the independents",
    }.get(equal, "neither")


def ledger(tables: Iterable[Table], published: Published) -> str:
    """Return the comparison as Markdown: each printed table with our rows, then what has no score."""
    compared = compare_published(tables, published)
    scored = [one for one in compared if one.verdict != NOT_RUN]
    lacking = [one for one in compared if one.verdict == NOT_RUN]
    counts = Counter(one.verdict for one in scored)
    verdicts = ", ".join(f"{number:,} {verdict}" for verdict, number in sorted(counts.items()))
    summary = f"{counted(len(scored), 'printed number')} beside ours: {verdicts or 'none'}."
    parts = ["# Published and measured", f"{summary} {len(lacking):,} more have no score of ours."]
    for (paper, number), group in groupby(
        scored, key=lambda one: (one.entry.paper, one.entry.table)
    ):
        title = published.titles[f"{paper}/{number}"]
        heading = f"{published.titles[paper]}, Table {number}: {title}"
        parts += [f"## {escape_markdown(heading)}", *_section(list(group), published)]
    parts += ["## How to read this", READING]
    if lacking:
        parts += ["## Printed numbers without a score of ours", *_without_score(lacking)]
    return "\n\n".join(parts) + "\n"


def _section(compared: list[ComparedCell], published: Published) -> list[str]:
    """Return the rows of a printed table, each with others' and ours, and in what stand-ins differ."""
    columns = list(dict.fromkeys(one.entry.column for one in compared))
    rows: dict[str, dict[str, dict[str, ComparedCell]]] = {}
    for one in compared:
        ours = rows.setdefault(one.entry.row, {}).setdefault(one.ours, {})
        ours[one.entry.column] = one
    lines = [
        markdown_line(["row", "", "n", *(NAMES.get(column, column) for column in columns)]),
        f"| --- | --- |{' ---: |' * (len(columns) + 1)}",
    ]
    for printed, by_row in rows.items():
        every = {column: one.entry for cells in by_row.values() for column, one in cells.items()}
        quoted = next(iter(every.values())).quoted
        name = f"{printed} (quoted: {quoted})" if quoted else printed
        texts = {
            c: entry.mark + with_deviation(entry.value, entry.sd) for c, entry in every.items()
        }
        lines.append(_line([name, "paper", ""], columns, texts))
        place = next(iter(every.values())).name
        others = [other for other in published.others if other.row == place]
        for other in others:
            means = {c: with_deviation(v, other.sds.get(c)) for c, v in other.values.items()}
            head = [f"{other.source}, code: {other.code}", "others", str(other.n)]
            lines.append(_line(head, columns, means))
        for ours, cells in by_row.items():
            lines += _our_lines(ours, columns, cells)
            whom = {c: equals_whom(one, others) for c, one in cells.items()}
            lines += [_line(["", "equals", ""], columns, whom)] if any(whom.values()) else []
    stand_ins: dict[str, dict[str, None]] = {}
    for one in compared:
        if one.row.stand_in:
            stand_ins.setdefault("; ".join(one.row.stand_in), {})[one.row.label] = None
    notes = [f"- stand-in: {why} ({', '.join(of)})" for why, of in stand_ins.items()]
    return list(filter(None, ["\n".join(lines), "\n".join(map(escape_markdown, notes))]))


def _our_lines(ours: str, columns: list[str], cells: dict[str, ComparedCell]) -> Iterator[str]:
    """Yield the line of one of our rows, and that of its differences unless it is a stand-in."""
    first = next(iter(cells.values()))
    means = {column: with_deviation(one.cell.mean, one.cell.sd) for column, one in cells.items()}
    kind = "stand-in" if first.row.stand_in else "ours"
    yield _line([ours, kind, str(first.cell.n)], columns, means)
    if not first.row.stand_in:
        found = {column: f"{signed(one.difference)} {one.verdict}" for column, one in cells.items()}
        yield _line(["", "difference", ""], columns, found)


def _line(head: list[str], columns: list[str], texts: dict[str, str]) -> str:
    return markdown_line([*head, *(texts.get(column, "") for column in columns)])


def _without_score(lacking: list[ComparedCell]) -> Iterator[str]:
    """Yield each reason with the rows of each printed table that have no score of ours by it."""
    by_reason: dict[str, dict[str, dict[str, None]]] = {}
    for one in lacking:
        reason = f"{NO_SCORE} ({one.ours})" if one.row else NO_TABLE
        table = f"{one.entry.paper}, Table {one.entry.table}"
        by_reason.setdefault(reason, {}).setdefault(table, {})[f"“{one.entry.row}”"] = None
    for reason, tables in by_reason.items():
        yield escape_markdown(f"Because {reason}:")
        yield escape_markdown(
            "\n".join(f"- {table}: {', '.join(of)}" for table, of in tables.items())
        )
