"""Every row of a table against its control, as the table states it, and each seed's difference."""

from collections.abc import Iterator
from pathlib import Path

from semblance.figures import Row
from semblance.provenance import read_text
from semblance.reporting import table
from semblance.reporting.contrasts import NO_VALUES, between
from semblance.reporting.layouts import find_layout
from semblance.reporting.table import Table

OF_ROW = ("label", "control", "corpus", "base", "method", "protocol")
INTERVALS = ("low", "high", "bootstrap_low", "bootstrap_high")
COLUMNS = (
    *("table", "title", "column", "margin", "label", "control", "corpus", "base", "method"),
    *("protocol", "seed", "n", "difference", *INTERVALS, "published", "stand_in"),
)


def rows(path: Path) -> Iterator[Row]:
    """Yield the rows of the table in a JSON file; raises InputError if it holds no table."""
    yield from contrast_rows(table.from_json(read_text(path), str(path)))


def contrast_rows(shown: Table) -> list[Row]:
    """Return the differences in a table's main column, in points.

    A row without ``seed`` is a method against its control: the mean difference, its intervals over
    seeds (``low``, ``high``) and over seeds and items (``bootstrap_…``), and the paper's, which
    is None where one of the two rows stands in for the paper's: ``stand_in`` says in what.
    A row with ``seed`` is the paired difference of one seed. What a row lacks is None.
    """
    column = find_layout(shown.layout).main_column
    rows = []
    for row in shown.rows:
        control = shown.control_of(row)
        contrast = row.contrast(column)
        if control is None or contrast is None:
            continue
        identity = dict.fromkeys(COLUMNS) | {name: getattr(row, name) for name in OF_ROW}
        identity |= {"table": shown.name, "title": shown.title, "margin": shown.margin}
        identity["column"] = column
        stand_in = "; ".join(dict.fromkeys((*row.stand_in, *control.stand_in)))
        ours, theirs = row.cells[column], control.cells.get(column, NO_VALUES)
        published = None
        if not stand_in and None not in (ours.published, theirs.published):
            published = ours.published - theirs.published
        intervals = {name: getattr(contrast, name) for name in INTERVALS}
        whole = {"n": ours.n, "difference": contrast.difference, **intervals}
        rows.append({**identity, **whole, "published": published, "stand_in": stand_in})
        seeds = between(row, control, column)  # of other seeds on the two sides: none is paired
        for seed, difference in seeds.by_seed.items() if seeds else ():
            rows.append({**identity, "seed": seed, "difference": difference})
    return rows
