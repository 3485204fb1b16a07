"""Every row of a table against its control, as the table states it, and each seed's difference."""

from collections.abc import Iterator
from pathlib import Path

from semblance.figures import Row
from semblance.provenance import read_text
from semblance.reporting import table
from semblance.reporting.contrasts import NO_VALUES, between
from semblance.reporting.layouts import find_layout
from semblance.reporting.table import Cell, Table

INTERVALS = ("low", "high", "bootstrap_low", "bootstrap_high")
COLUMNS = (
    *("table", "title", "column", "margin", "label", "control", "corpus", "base", "method"),
    *("protocol", "seed", "n", "difference", *INTERVALS, "published", "stand_in"),
)


def rows(path: Path) -> Iterator[Row]:
    """Yield the rows of the table in a JSON file; raises InputError if it holds no table."""
    yield from rows_of(table.from_json(read_text(path), str(path)))


def rows_of(shown: Table) -> list[Row]:
    """Return the differences in a table's main column, in points.

    A row without ``seed`` is a method against its control: the mean difference, its intervals over
    seeds (``low``, ``high``) and over seeds and items (``bootstrap_…``), and the paper's difference,
    which is None where one of the two rows stands in for the paper's: ``stand_in`` says in what.
    A row with ``seed`` is the paired difference of one seed. What a row lacks is None.
    """
    column = find_layout(shown.layout).main_column
    by_name = {(row.label, row.protocol): row for row in shown.rows}
    found = []
    for row in shown.rows:
        control = by_name.get((row.control, row.protocol))
        cell = row.cells.get(column, NO_VALUES)
        if control is not None and cell.contrast is not None:
            found.append(_whole(shown, row, control, column))
            found += _of_seeds(shown, row, control, column)
    return found


def _whole(shown: Table, row: table.Row, control: table.Row, column: str) -> Row:
    cell = row.cells[column]
    contrast = cell.contrast
    stand_in = "; ".join(dict.fromkeys((*row.stand_in, *control.stand_in)))
    published = None
    if not stand_in:
        published = _published(cell, control.cells.get(column, NO_VALUES))
    return {
        **_identity(shown, row, column),
        "n": cell.n,
        "difference": contrast.difference,
        **{name: getattr(contrast, name) for name in INTERVALS},
        "published": published,
        "stand_in": stand_in,
    }


def _of_seeds(shown: Table, row: table.Row, control: table.Row, column: str) -> Iterator[Row]:
    """Yield the paired difference of each seed; nothing where the two have other seeds."""
    found = between(row, control, column)
    if found is None or not found.by_seed:
        return
    for seed, difference in found.by_seed.items():
        yield {**_identity(shown, row, column), "seed": seed, "difference": difference}


def _identity(shown: Table, row: table.Row, column: str) -> Row:
    names = ("label", "control", "corpus", "base", "method", "protocol")
    return dict.fromkeys(COLUMNS) | {
        "table": shown.name,
        "title": shown.title,
        "column": column,
        "margin": shown.margin,
        **{name: getattr(row, name) for name in names},
    }


def _published(cell: Cell, control: Cell) -> float | None:
    if cell.published is None or control.published is None:
        return None
    return cell.published - control.published
