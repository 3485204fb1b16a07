"""The papers' numbers as printed, and the known errors in print.

A published cell is named ``paper/table/row`` and a column. A score of ours is compared with it only
if it was made from the same base model, data and method.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from semblance.errors import InputError
from semblance.provenance import ROOT
from semblance.settings import Count, Positive, decode
from semblance.strict_yaml import read_yaml

PAPERS = sorted((ROOT / "papers").glob("*.yaml"))
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
    """What a paper is known to have wrong: in a row of a table, or in another ``place``.

    ``note`` says it. ``open``: no mistake, but a reading, a version or a property of the data that
    a reader of the paper should know.
    """

    paper: str
    note: str
    place: str | None = None
    table: str | None = None
    row: str | None = None
    column: str | None = None
    printed: float | None = None
    recomputed: float | None = None
    open: bool = False

    @property
    def where(self) -> str:
        """The paper and the place in it."""
        parts = [self.paper, self.place]
        if self.table is not None:
            parts.append(f"Table {self.table}")
        return ", ".join(part for part in (*parts, self.row) if part is not None)


@dataclass(frozen=True)
class Other:
    """What somebody else measured of a row of a paper, as paper/table/row.

    ``values``: means over ``n`` seeds by column, in points; ``sd`` is that of the last of them.
    ``code``: whose program it was, since that decides as much as the seeds do.
    """

    row: str
    values: dict[str, float]
    code: str
    source: str
    n: Count = 1
    sd: Positive | None = None

    @property
    def sds(self) -> dict[str, float]:
        """The sample standard deviation by column, where it is known."""
        return {} if self.sd is None else {list(self.values)[-1]: self.sd}


Measure = Literal["protocol", "metric", "aggregation"]


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
    measured: dict[str, dict[Measure, str]] = field(default_factory=dict)
    runs: int = 1
    quoted: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Paper:
    """What the file of a paper says that it prints, and what others say of it."""

    name: str
    title: str
    tables: dict[str, _Sheet]
    known_slips: tuple[Slip, ...] = ()
    others: tuple[Other, ...] = ()


@dataclass(frozen=True)
class Published:
    """All printed numbers, the titles of papers and tables, and the known errors in print."""

    entries: tuple[Entry, ...]
    titles: dict[str, str] = field(default_factory=dict)
    slips: tuple[Slip, ...] = ()
    others: tuple[Other, ...] = ()

    def row(self, name: str) -> dict[str, Entry]:
        """Return a published row's entries by column; raises InputError for an unknown name."""
        by_column = {entry.column: entry for entry in self.entries if entry.name == name}
        if not by_column:
            advice = "name it paper/table/row as in papers/"
            raise InputError(name, "no such published row", advice)
        return by_column


def read_published(paths: Iterable[str | Path] = PAPERS) -> Published:
    """Read the papers' numbers; raises InputError naming the key or the row that is wrong."""
    entries: list[Entry] = []
    titles: dict[str, str] = {}
    slips: list[Slip] = []
    others: list[Other] = []
    for path in paths:
        paper = decode(_Paper, _printed(read_yaml(path)), str(path))
        slips += paper.known_slips
        others += paper.others
        titles[paper.name] = paper.title
        for number, sheet in paper.tables.items():
            table = f"{paper.name}/{number}"
            titles[table] = sheet.title
            _check_names(sheet, f"{path}: {table}")
            for row in sheet.rows:
                entries += _row_entries(sheet, (paper.name, number, row), f"{path}: {table}/{row}")
    published = Published(tuple(entries), titles, tuple(slips), tuple(others))
    for other in others:
        if strange := other.values.keys() - published.row(other.row):
            raise InputError(f"others: {other.row}", f"it has no column {min(strange)!r}")
    return published


def _printed(data: dict[str, Any]) -> dict[str, Any]:
    """Return what a paper's file says that it prints, the sheets of all its tables together."""
    paper = data["paper"]
    sheets = [table.get("printed", {}) for table in data["tables"].values()]
    return {
        **paper,
        "tables": {number: sheet for each in sheets for number, sheet in each.items()},
        "known_slips": [{"paper": paper["name"], **slip} for slip in data.get("known_slips", ())],
        "others": data.get("others", ()),
    }


def _check_names(sheet: _Sheet, where: str) -> None:
    """Refuse what is said of a row or a column that the table does not have."""
    for key, kind, names, known in (
        ("measured", "row or column", sheet.measured, (*sheet.rows, *sheet.columns)),
        ("quoted", "row", sheet.quoted, sheet.rows),
    ):
        for name in names:
            if name not in known:
                raise InputError(f"{where}.{key}", f"the table has no {kind} {name!r}")


def _row_entries(sheet: _Sheet, name: tuple[str, str, str], where: str) -> Iterator[Entry]:
    """Yield the numbers of one printed row, ``name`` being its paper, table and row."""
    *_, row = name
    values = sheet.rows[row]
    if len(values) != len(sheet.columns):
        raise InputError(where, f"{len(values)} values for {len(sheet.columns)} columns")
    printed = dict(zip(sheet.columns, values, strict=True))
    for column, text in printed.items():
        if column.endswith(SPREAD):
            continue
        value, mark = _printed_number(text, f"{where}: {column}")
        sd = None
        if column + SPREAD in printed:
            sd, _ = _printed_number(printed[column + SPREAD], f"{where}: {column}{SPREAD}")
        measure = {key: getattr(sheet, key) for key in get_args(Measure)}
        for part in (row, column):
            measure |= sheet.measured.get(part, {})
        of_table = {"runs": sheet.runs, "quoted": sheet.quoted.get(row, "")}
        yield Entry(*name, column, value, mark=mark, sd=sd, **of_table, **measure)


def _printed_number(printed: object, where: str) -> tuple[float, str]:
    match = re.fullmatch(r"([*_]?)(-?[0-9]{1,9}(?:\.[0-9]{1,9})?)", str(printed))
    if not match:
        advice = "write a number, with * or _ before it if it is marked"
        raise InputError(where, f"{printed!r:.80} is not a number", advice)
    return float(match[2]), match[1]
