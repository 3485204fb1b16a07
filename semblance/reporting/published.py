"""The papers' numbers as printed, what they were made from, and the known errors in print.

A published cell is named ``paper/table/row`` and a column.
"""

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from semblance.errors import InputError
from semblance.reporting.sources import Source, Used, Uses, source_of
from semblance.settings import decode
from semblance.strict_yaml import read_yaml

SPREAD = "_sd"  # ends the name of a column that holds what stands after ±


@dataclass(frozen=True)
class Entry:
    """One printed number, in points.

    ``mark`` is the paper's sign of significance, ``sd`` what it prints after ±, if anything, and
    ``runs`` of how many runs that is. ``quoted``: from whom the paper has the number.
    """

    paper: str
    table: str
    row: str
    column: str
    value: float
    protocol: str
    metric: str = ""
    aggregation: str = ""
    mark: str = ""
    sd: float | None = None
    runs: int = 1
    quoted: str = ""

    @property
    def name(self) -> str:
        """``paper/table/row``, as a config's ``published`` names it."""
        return f"{self.paper}/{self.table}/{self.row}"


@dataclass(frozen=True)
class Slip:
    """What a paper is known to have wrong: in a row of a table, or in another ``place``."""

    paper: str
    note: str
    place: str | None = None
    table: str | None = None
    row: str | None = None
    column: str | None = None
    printed: float | None = None
    recomputed: float | None = None

    @property
    def where(self) -> str:
        """The paper and the place in it."""
        parts = [self.paper, self.place]
        if self.table is not None:
            parts.append(f"Table {self.table}")
        return ", ".join(part for part in (*parts, self.row) if part is not None)


@dataclass(frozen=True)
class _Measure:
    """How a row or a column was measured; None: as the rest of its table."""

    protocol: str | None = None
    metric: str | None = None
    aggregation: str | None = None


@dataclass(frozen=True)
class _Sheet:
    """One printed table. ``measured``: by name, the rows and columns measured in another way.

    ``runs``: behind each ±. ``quoted``: rows that the paper quotes, and from whom.
    """

    title: str
    protocol: str
    columns: tuple[str, ...]
    rows: dict[str, tuple[Any, ...]]
    metric: str = ""
    aggregation: str = ""
    measured: dict[str, _Measure] = field(default_factory=dict)
    runs: int = 1
    quoted: dict[str, str] = field(default_factory=dict)
    uses: Uses = Uses()
    rows_use: dict[str, Uses] = field(default_factory=dict)


@dataclass(frozen=True)
class _Paper:
    title: str
    tables: dict[str, _Sheet]


@dataclass(frozen=True)
class _File:
    papers: dict[str, _Paper]
    known_slips: tuple[Slip, ...]
    used: Used = Used()


@dataclass(frozen=True)
class Published:
    """All printed numbers, the titles of papers and tables, and the known errors in print.

    ``sources`` says what each row was made from, by its name; a row may have none.
    """

    entries: tuple[Entry, ...]
    titles: dict[str, str]
    slips: tuple[Slip, ...]
    used: Used = Used()
    sources: dict[str, Source] = field(default_factory=dict)

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
    entries: list[Entry] = []
    titles: dict[str, str] = {}
    sources: dict[str, Source] = {}
    for paper, about in data.papers.items():
        titles[paper] = about.title
        for number, sheet in about.tables.items():
            titles[f"{paper}/{number}"] = sheet.title
            _check_measured(sheet, f"{path}: {paper}/{number}")
            for row in sheet.rows:
                entries += _entries(sheet, (paper, number, row), str(path))
            sources |= _sources(data.used, sheet, f"{paper}/{number}", str(path))
    return Published(tuple(entries), titles, data.known_slips, data.used, sources)


def _check_measured(sheet: _Sheet, where: str) -> None:
    for name in sheet.measured:
        if name not in sheet.rows and name not in sheet.columns:
            raise InputError(f"{where}.measured", f"the table has no row or column {name!r}")
    for name in sheet.quoted:
        if name not in sheet.rows:
            raise InputError(f"{where}.quoted", f"the table has no row {name!r}")


def _sources(used: Used, sheet: _Sheet, table: str, path: str) -> dict[str, Source]:
    """Return what each row of a table was made from, by its name, where the table says it."""
    for row in sheet.rows_use:
        if row not in sheet.rows:
            raise InputError(f"{path}: {table}.rows_use", f"the table has no row {row!r}")
    found = {}
    for row, uses in sheet.rows_use.items():
        name = f"{table}/{row}"
        found[name] = source_of(used, sheet.uses, uses, f"{path}: {name}")
    return found


def _entries(sheet: _Sheet, name: tuple[str, str, str], path: str) -> Iterator[Entry]:
    """Yield the numbers of one printed row, ``name`` being its paper, table and row."""
    where = f"{path}: {'/'.join(name)}"
    paper, table, row = name
    values = sheet.rows[row]
    if len(values) != len(sheet.columns):
        raise InputError(where, f"{len(values)} values for {len(sheet.columns)} columns")
    printed = dict(zip(sheet.columns, values, strict=True))
    for column, text in printed.items():
        if column.endswith(SPREAD):
            continue
        value, mark = _number(text, f"{where}: {column}")
        sd = None
        if column + SPREAD in printed:
            sd, _ = _number(printed[column + SPREAD], f"{where}: {column}{SPREAD}")
        yield Entry(
            paper=paper,
            table=table,
            row=row,
            column=column,
            value=value,
            mark=mark,
            sd=sd,
            runs=sheet.runs,
            quoted=sheet.quoted.get(row, ""),
            **_measure(sheet, row, column),
        )


def _measure(sheet: _Sheet, row: str, column: str) -> dict[str, str]:
    """Return protocol, metric and aggregation of a number, by its column, row or table."""
    found = {
        "protocol": sheet.protocol,
        "metric": sheet.metric,
        "aggregation": sheet.aggregation,
    }
    for name in (row, column):
        own = asdict(sheet.measured.get(name, _Measure()))
        found |= {key: value for key, value in own.items() if value is not None}
    return found


def _number(printed: object, where: str) -> tuple[float, str]:
    found = re.fullmatch(r"([*_]?)(-?[0-9]{1,9}(?:\.[0-9]{1,9})?)", str(printed))
    if not found:
        raise InputError(
            where,
            f"{printed!r:.80} is not a number",
            "write a number, with * or _ before it if it is marked",
        )
    return float(found[2]), found[1]
