"""The papers' numbers, and ours beside them.

A published cell is named ``paper/table/row`` and a column. A table of ours claims a published row
in its settings; a published cell that no table claims is "not run".
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from semblance.errors import InputError, at
from semblance.reporting.records import Cell, Row, Table

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
        return f"{self.paper}/{self.table}/{self.row}"


@dataclass(frozen=True)
class Published:
    """All printed numbers, the titles of papers and tables, and what is known to be wrong in print."""

    entries: tuple[Entry, ...]
    titles: dict[str, str]
    slips: tuple[dict, ...]

    def row(self, name: str) -> dict[str, Entry]:
        """Return a published row's entries by column; raises InputError for an unknown name."""
        found = {entry.column: entry for entry in self.entries if entry.name == name}
        if not found:
            raise InputError(name, "no such published row", "name it paper/table/row as in published.yaml")
        return found


def read_published(path: str | Path) -> Published:
    """Read the papers' numbers; raises InputError naming the row whose length or value is wrong."""
    try:
        data = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
        entries, titles = [], {}
        for paper, about in data["papers"].items():
            titles[paper] = about["title"]
            for number, table in about["tables"].items():
                titles[f"{paper}/{number}"] = table["title"]
                for row, values in table["rows"].items():
                    entries += _entries(f"{at(path)}: {paper}/{number}/{row}", paper, number, row, table, values)
        return Published(tuple(entries), titles, tuple(data["known_slips"]))
    except (yaml.YAMLError, KeyError, TypeError, AttributeError) as error:
        raise InputError(at(path), f"not in the form of published.yaml ({' '.join(str(error).split())})") from None


def _entries(where: str, paper: str, number: str, row: str, table: dict, values: list) -> list[Entry]:
    columns = table["columns"]
    if len(values) != len(columns):
        raise InputError(where, f"{len(values)} values for {len(columns)} columns")
    printed = dict(zip(columns, values))
    facts = {name: table[name] for name in ("protocol", "metric", "aggregation", "dataset") if name in table}
    entries = []
    for column in columns:
        if column.endswith("_sd"):
            continue
        text = str(printed[column])
        mark, digits = (text[0], text[1:]) if text[:1] in "*_" else ("", text)
        try:
            value = float(digits)
        except ValueError:
            raise InputError(where, f"{column} is {text!r}", "expected a number, marked * or _ at most") from None
        entries.append(Entry(paper, number, row, column, value, mark=mark, sd=printed.get(f"{column}_sd"), **facts))
    return entries


def attach(table: Table, published: Published) -> Table:
    """Put the published value into each cell whose row claims one under the same protocol and metric."""
    rows = []
    for row in table.rows:
        claimed = {column: entry for column, entry in _claimed(table, row, published).items()
                   if table.stand_in or not _other_data(table, entry)}  # a stand-in says so in its notes
        cells = {name: replace(cell, published=claimed[name].value if name in claimed else None)
                 for name, cell in row.cells.items()}
        rows.append(replace(row, cells=cells))
    return replace(table, rows=tuple(rows))


def _claimed(table: Table, row: Row, published: Published) -> dict[str, Entry]:
    if not row.published:
        return {}
    return {column: entry for column, entry in published.row(row.published).items()
            if entry.protocol == row.protocol and entry.metric in ("", table.metric)
            and entry.aggregation in ("", table.aggregation)}


def _other_data(table: Table, entry: Entry) -> bool:
    return entry.dataset is not None and table.dataset != entry.dataset


def compare(tables: Iterable[Table], published: Published, tolerance: float = TOLERANCE) -> list[dict]:
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
                        _record(entry, table, row, row.cells[column], tolerance))
    absent = {"table": None, "label": None, "mean": None, "sd": None, "n": 0, "difference": None, "verdict": "not run"}
    return [record for entry in published.entries
            for record in ours.get((entry.name, entry.column), [{"entry": entry} | absent])]


def _record(entry: Entry, table: Table, row: Row, cell: Cell, tolerance: float) -> dict:
    difference = None if cell.mean is None else cell.mean - entry.value
    other_data = table.stand_in or _other_data(table, entry)
    return {"entry": entry, "table": table.name, "label": row.label, "mean": cell.mean, "sd": cell.sd, "n": cell.n,
            "difference": difference, "verdict": _verdict(difference, cell.sd, tolerance, other_data)}


def _verdict(difference: float | None, sd: float | None, tolerance: float, stand_in: bool) -> str:
    if difference is None:
        return "not run"
    if stand_in:
        return STAND_IN
    if abs(difference) <= max(tolerance, 2 * (sd or 0.0)):
        return "within"
    return "above" if difference > 0 else "below"
