"""The papers' numbers, and ours beside them.

A published cell is named ``paper/table/row`` and a column. A table of ours claims a published row
in its settings; a published cell that no table claims is "not run".
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from semblance.errors import InputError
from semblance.reporting.table import Cell, Row, Table
from semblance.settings import decode
from semblance.strict_yaml import read_yaml

TOLERANCE = 0.5  # points; below the spread between seeds that a public 50-seed rerun of SimCSE shows (sd .8)
STAND_IN = "stand-in, not comparable"


@dataclass(frozen=True)
class Entry:
    """One printed number, in points; ``mark`` is the paper's sign of significance, ``sd`` its ± if it gives one."""

    paper: str
    table: str
    row: str
    column: str
    value: float
    protocol: str
    metric: str = ""
    aggregation: str = ""
    dataset: str | None = None
    mark: str = ""
    sd: float | None = None

    @property
    def name(self) -> str:
        """``paper/table/row``, as a config's ``published`` names it."""
        return f"{self.paper}/{self.table}/{self.row}"


@dataclass(frozen=True)
class Slip:
    """What a printed row is known to have wrong."""

    paper: str
    table: str
    row: str
    note: str
    column: str | None = None
    printed: float | None = None
    recomputed: float | None = None


@dataclass(frozen=True)
class _Sheet:
    title: str
    protocol: str
    columns: tuple[str, ...]
    rows: dict[str, tuple[Any, ...]]
    metric: str = ""
    aggregation: str = ""
    dataset: str | None = None


@dataclass(frozen=True)
class _Paper:
    title: str
    tables: dict[str, _Sheet]


@dataclass(frozen=True)
class _File:
    papers: dict[str, _Paper]
    known_slips: tuple[Slip, ...]


@dataclass(frozen=True)
class Published:
    """All printed numbers, the titles of papers and tables, and what is known to be wrong in print."""

    entries: tuple[Entry, ...]
    titles: dict[str, str]
    slips: tuple[Slip, ...]

    def row(self, name: str) -> dict[str, Entry]:
        """Return a published row's entries by column; raises InputError for an unknown name."""
        found = {entry.column: entry for entry in self.entries if entry.name == name}
        if not found:
            raise InputError(
                name, "no such published row", "name it paper/table/row as in published.yaml"
            )
        return found


def read_published(path: str | Path) -> Published:
    """Read the papers' numbers; raises InputError naming the key or the row that is wrong."""
    data = decode(_File, read_yaml(path), str(path))
    entries, titles = [], {}
    for paper, about in data.papers.items():
        titles[paper] = about.title
        for number, table in about.tables.items():
            titles[f"{paper}/{number}"] = table.title
            for row, values in table.rows.items():
                entries += _entries(
                    f"{path}: {paper}/{number}/{row}", paper, number, row, table, values
                )
    return Published(tuple(entries), titles, data.known_slips)


def _entries(
    where: str, paper: str, number: str, row: str, table: _Sheet, values: tuple
) -> list[Entry]:
    if len(values) != len(table.columns):
        raise InputError(where, f"{len(values)} values for {len(table.columns)} columns")
    printed = {
        column: _number(value, f"{where}: {column}")
        for column, value in zip(table.columns, values, strict=True)
    }
    facts = {
        "protocol": table.protocol,
        "metric": table.metric,
        "aggregation": table.aggregation,
        "dataset": table.dataset,
    }
    return [
        Entry(
            paper,
            number,
            row,
            column,
            value,
            mark=mark,
            sd=printed.get(f"{column}_sd", (None, ""))[0],
            **facts,
        )
        for column, (value, mark) in printed.items()
        if not column.endswith("_sd")
    ]


def _number(printed: object, where: str) -> tuple[float, str]:
    found = re.fullmatch(r"([*_]?)(-?[0-9]{1,9}(?:\.[0-9]{1,9})?)", str(printed))
    if not found:
        raise InputError(where, f"{printed!r:.80}", "expected a number, marked * or _ at most")
    return float(found[2]), found[1]


def attach(table: Table, published: Published) -> Table:
    """Put the published value into each cell whose row claims one under the same protocol and metric."""
    rows = []
    for row in table.rows:
        claimed = {
            column: entry
            for column, entry in _claimed(table, row, published).items()
            if table.stand_in or not _other_data(table, entry)
        }  # a stand-in says so in its notes
        cells = {
            name: replace(cell, published=claimed[name].value if name in claimed else None)
            for name, cell in row.cells.items()
        }
        rows.append(replace(row, cells=cells))
    return replace(table, rows=tuple(rows))


def _claimed(table: Table, row: Row, published: Published) -> dict[str, Entry]:
    if not row.published:
        return {}
    return {
        column: entry
        for column, entry in published.row(row.published).items()
        if entry.protocol == row.protocol
        and entry.metric in ("", table.metric)
        and entry.aggregation in ("", table.aggregation)
    }


def _other_data(table: Table, entry: Entry) -> bool:
    return entry.dataset is not None and table.dataset != entry.dataset


def compare(
    tables: Iterable[Table], published: Published, tolerance: float = TOLERANCE
) -> list[dict]:
    """Return one record for each published cell and each of our rows that claims it, in the papers' order.

    Keys: entry, table, label (of ours, None if not run), mean, sd, n, difference (points), verdict:
    ``within`` if |difference| <= max(tolerance, 2 sd), else ``below`` or ``above``; ``not run``;
    ``stand-in, not comparable`` where the table says so or stands on another dataset.
    """
    ours: dict[tuple[str, str], list[dict]] = {}
    for table in tables:
        for row in table.rows:
            for column, entry in _claimed(table, row, published).items():
                if column in row.cells:
                    ours.setdefault((entry.name, column), []).append(
                        _record(entry, table, row, row.cells[column], tolerance)
                    )
    absent = {
        "table": None,
        "label": None,
        "mean": None,
        "sd": None,
        "n": 0,
        "difference": None,
        "verdict": "not run",
    }
    return [
        record
        for entry in published.entries
        for record in ours.get((entry.name, entry.column), [{"entry": entry} | absent])
    ]


def _record(entry: Entry, table: Table, row: Row, cell: Cell, tolerance: float) -> dict:
    difference = None if cell.mean is None else cell.mean - entry.value
    other_data = table.stand_in or _other_data(table, entry)
    return {
        "entry": entry,
        "table": table.name,
        "label": row.label,
        "mean": cell.mean,
        "sd": cell.sd,
        "n": cell.n,
        "difference": difference,
        "verdict": _verdict(difference, cell.sd, tolerance, other_data),
    }


def _verdict(difference: float | None, sd: float | None, tolerance: float, stand_in: bool) -> str:
    if difference is None:
        return "not run"
    if stand_in:
        return STAND_IN
    if abs(difference) <= max(tolerance, 2 * (sd or 0.0)):
        return "within"
    return "above" if difference > 0 else "below"
