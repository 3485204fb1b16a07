"""The one grid of a table that every form prints: texts for people, and unrounded for programs."""

from dataclasses import dataclass, fields
from typing import Literal

from semblance.counts import interval, rounded, signed
from semblance.names import STS_DEV
from semblance.reporting.layouts import Layout, find_layout
from semblance.reporting.table import Cell, Contrast, Row, Table
from semblance.statistics.significance import ALPHA

MISSING = "n/a"
PUBLISHED = "published (Δ)"
DIFFERENCE = "difference [95 % interval]"
P_VALUE = "p (Holm)"
EQUAL = "≈"  # behind a difference: equal to the control within the margin
LEAST_P = 0.0001  # a smaller p is printed as smaller than this
NAMES = {
    "sts12": "STS12",
    "sts13": "STS13",
    "sts14": "STS14",
    "sts15": "STS15",
    "sts16": "STS16",
    "stsb": "STS-B",
    "sickr": "SICK-R",
    STS_DEV: "STS-B dev",
    "acc@1": "Acc@1",
    "acc@3": "Acc@3",
    "acc@5": "Acc@5",
    "map": "MAP",
    "top3": "top 3",
}
# Unrounded, behind a column's mean: attributes of the cell, which end the names of the fields.
OF_SPREAD = ("sd", "worst", "best", "published", "difference")
OF_BEST_SEEDS = ("population_sd",)
# The ends of the names, and the attributes of the cell's contrast.
OF_CONTRAST = {f"_control_{name}": name for name in ("difference", "low", "high")}
OF_CONTRAST |= {f"_{one.name}": one.name for one in fields(Contrast)[len(OF_CONTRAST) :]}


@dataclass(frozen=True)
class Text:
    """The text of one place, as yet without a form's own signs.

    ``deviation`` stands behind the text; ``mark`` is ``*`` (p < .05) or ``_`` (p < .1);
    ``published`` is the paper's value.
    """

    text: str = ""
    deviation: str = ""
    mark: str = ""
    published: str = ""

    @property
    def whole(self) -> str:
        """The text with what stands behind it."""
        return f"{self.text} {self.deviation}".rstrip()


@dataclass(frozen=True)
class Column:
    """One column: its name, a place for each row, and with which columns it belongs together."""

    name: str
    places: list[Text]
    group: Literal["values", "behind", "seeds"]


@dataclass(frozen=True)
class Grid:
    """A table as it is printed: the labels of its rows, and the columns behind them.

    ``turned``: a form shows each row as a column, as RCL prints its Table 4.
    """

    labels: list[str]
    columns: list[Column]
    turned: bool

    def lines(self) -> list[list[Text]]:
        """Return the header and the lines, the labels first in each."""
        columns = [["", *self.labels], *([c.name, *c.places] for c in self.columns)]
        if not self.turned:
            columns = zip(*columns, strict=True)
        return [[p if isinstance(p, Text) else Text(p) for p in line] for line in columns]


def grid(table: Table) -> Grid:
    """Return the grid of a table, rounded once: values, what stands behind them, single seeds."""
    layout = find_layout(table.layout)
    columns = [Column("n", [Text(str(len(row.seeds))) for row in table.rows], "values")]
    seeds = []
    for name in table.columns:
        places = [_value(layout, name, row.cells.get(name)) for row in table.rows]
        if layout.is_of_one_seed(name):
            seeds.append(Column(name, places, "seeds"))
        else:
            columns.append(Column(NAMES.get(name, name), places, "values"))
    main = layout.main_column
    contrasts = [row.contrast(main) for row in table.rows]
    behind = {
        PUBLISHED: [_published(row, main) for row in table.rows],
        DIFFERENCE: [_difference(contrast) if contrast else "" for contrast in contrasts],
        P_VALUE: [_p_value(contrast.p_holm) if contrast else "" for contrast in contrasts],
    }
    for name, texts in behind.items():
        if any(texts):
            columns.append(Column(name, list(map(Text, texts)), "behind"))
    labels = [row.label for row in table.rows]
    if len({row.protocol for row in table.rows}) > 1:
        labels = [f"{row.label} [{row.protocol}]" for row in table.rows]
    return Grid(labels, columns + seeds, layout.turned)


def with_deviation(mean: float, sd: float | None) -> str:
    """Return ``mean ± sd``; the mean alone where a single value has no deviation."""
    if sd is None:
        return rounded(mean)
    return f"{rounded(mean)} ± {sd:.2f}"


def _value(layout: Layout, column: str, cell: Cell | None) -> Text:
    """Return our value in one place; empty where the column does not apply to the row."""
    if cell is None:
        return Text()
    published = rounded(cell.published)
    if cell.mean is None:
        return Text(MISSING, published=published)
    deviation = ""
    if cell.sd is not None and layout.has_spread(column):
        deviation = f"± {cell.sd:.2f}"
        if layout.is_of_best_seeds(column):
            deviation += f" ({cell.population_sd:.2f})"
    return Text(rounded(cell.mean), deviation, cell.mark, published)


def _published(row: Row, main: str) -> str:
    """Return the paper's value of the main column and our difference from it.

    If the paper prints none: those of its other columns, each with its name. A stand-in has no
    difference to show.
    """
    texts = {}
    for column, cell in row.cells.items():
        if cell.published is not None:
            texts[column] = rounded(cell.published)
            if not row.stand_in:
                texts[column] += f" ({signed(cell.difference) or MISSING})"
    if main in texts:
        return texts[main]
    return ", ".join(f"{NAMES.get(column, column)} {text}" for column, text in texts.items())


def is_equal(contrast: Contrast) -> bool:
    """Tell whether a row and its control are equal within the margin."""
    return contrast.p_equivalence is not None and contrast.p_equivalence < ALPHA / 2


def _difference(contrast: Contrast) -> str:
    """Return the difference from the control, and its interval."""
    text = f"{signed(contrast.difference)} {interval(contrast.low, contrast.high)}".rstrip()
    return f"{text} {EQUAL}" if is_equal(contrast) else text


def _p_value(p: float | None) -> str:
    if p is None:
        return ""
    return f"< {LEAST_P}" if p < LEAST_P else f"{p:.4f}"


def unrounded(table: Table) -> list[dict[str, object]]:
    """Return each row by the names of its columns, values in points; None: missing, or no such.

    Behind what names the row, each column ``c`` gives ``c`` and what stands in ``OF_SPREAD``, in
    ``OF_BEST_SEEDS`` if its seeds are chosen, in ``OF_CONTRAST`` if it is tested; a seed's own
    column gives only ``c``.
    """
    layout = find_layout(table.layout)
    lines = [_identity(table, row) for row in table.rows]
    for line, row in zip(lines, table.rows, strict=True):
        for column in table.columns:
            line |= _unrounded(layout, column, row.cells.get(column))
    return lines


def _identity(table: Table, row: Row) -> dict[str, object]:
    return {
        "table": table.name,
        "layout": table.layout,
        "label": row.label,
        "corpus": row.corpus,
        "base": row.base,
        "method": row.method,
        "seeds": " ".join(map(str, row.seeds)),
        "n": len(row.seeds),
        "protocol": row.protocol,
        "metric": table.metric,
        "aggregation": table.aggregation,
        "tasks": " ".join(table.tasks),
        "dataset": table.dataset,
        "folds": table.folds,
        "stand_in": "; ".join(row.stand_in),
        "control": row.control,
        "test": row.test,
        "margin": table.margin,
    }


def _unrounded(layout: Layout, column: str, cell: Cell | None) -> dict[str, object]:
    of_cell = () if layout.is_of_one_seed(column) else OF_SPREAD
    if layout.is_of_best_seeds(column):
        of_cell = OF_SPREAD + OF_BEST_SEEDS
    cells: dict[str, object] = {column: cell and cell.mean}
    for name in of_cell:
        cells[f"{column}_{name}"] = getattr(cell, name, None)
    for end, name in OF_CONTRAST.items() if layout.has_test(column) else ():
        cells[column + end] = getattr(cell and cell.contrast, name, None)
    return cells
