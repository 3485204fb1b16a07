"""The text of a table's places, for forms that people read: rounded once, header and lines."""

from collections.abc import Callable
from dataclasses import dataclass

from semblance.names import STS_DEV
from semblance.reporting.layouts import Layout, find_layout
from semblance.reporting.significance import ALPHA
from semblance.reporting.table import Cell, Contrast, Row, Table

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
    "mean": "mean",
    "top3": "top 3",
}


@dataclass(frozen=True)
class Style:
    """How one target writes text, and a marked number (``*`` p < .05, ``_`` p < .1)."""

    text: Callable[[str], str]
    marked: Callable[[str, str], str]


def grid(table: Table, style: Style) -> tuple[list[str], list[list[str]]]:
    """Return header and lines of finished text."""
    layout = find_layout(table.layout)
    printed = _Printed(table, layout, style)
    if layout.turned:
        return printed.turned()
    return printed.upright()


@dataclass(frozen=True)
class _Printed:
    """The text of a table's places."""

    table: Table
    layout: Layout
    style: Style

    def upright(self) -> tuple[list[str], list[list[str]]]:
        """Return header and lines, each row on a line."""
        of_seeds = [c for c in self.table.columns if self.layout.is_of_one_seed(c)]
        columns = [c for c in self.table.columns if c not in of_seeds]
        behind = self.behind()
        names = [self.style.text(name) for name in behind]
        header = ["", "n", *map(self.name, columns), *names, *map(self.name, of_seeds)]
        lines = []
        for row in self.table.rows:
            shown = [self.shown(row, column) for column in columns]
            shown += [self.style.text(text(row)) for text in behind.values()]
            shown += [self.shown(row, column) for column in of_seeds]
            lines.append([self.label(row), str(len(row.seeds)), *shown])
        return header, lines

    def turned(self) -> tuple[list[str], list[list[str]]]:
        """Return header and lines, each row in a column, as RCL prints its Table 4."""
        rows = self.table.rows
        header = ["", *map(self.label, rows)]
        lines = [["n", *(str(len(row.seeds)) for row in rows)]]
        for column in self.table.columns:
            lines.append([self.name(column), *(self.shown(row, column) for row in rows)])
        for name, text in self.behind().items():
            lines.append([self.style.text(name), *(self.style.text(text(row)) for row in rows)])
        return header, lines

    def behind(self) -> dict[str, Callable[[Row], str]]:
        """Return what stands behind the values of a row: a name, and the text of each row."""
        found = {PUBLISHED: self.published, DIFFERENCE: self.difference, P_VALUE: self.p}
        return {name: text for name, text in found.items() if any(map(text, self.table.rows))}

    def name(self, column: str) -> str:
        """Return a column's name as it is printed."""
        return self.style.text(NAMES.get(column, column))

    def label(self, row: Row) -> str:
        """Return a row's label, with its protocol where the table has several."""
        protocols = {other.protocol for other in self.table.rows}
        if len(protocols) > 1:
            return self.style.text(f"{row.label} [{row.protocol}]")
        return self.style.text(row.label)

    def shown(self, row: Row, column: str) -> str:
        """Return our value in one place; empty where the column does not apply to the row."""
        cell = row.cells.get(column)
        if cell is None:
            return ""
        if cell.mean is None:
            return self.style.text(MISSING)
        text = f"{cell.mean:.2f}"
        if self.layout.has_spread(column):
            text += f" ± {spread(cell.sd)}"
            if self.layout.is_of_best_seeds(column):
                text += f" ({spread(cell.population_sd)})"
        text = self.style.text(text)
        return self.style.marked(cell.mark, text) if cell.mark else text

    def published(self, row: Row) -> str:
        """Return the paper's value of the main column and our difference from it.

        If the paper prints none: those of its other columns, each with its name. A stand-in has no
        difference to show.
        """
        main = self.layout.main_column
        texts = {}
        for column, cell in row.cells.items():
            if cell.published is not None:
                texts[column] = _published(cell, row.stand_in)
        if main in texts:
            return texts[main]
        return ", ".join(f"{NAMES.get(column, column)} {text}" for column, text in texts.items())

    def difference(self, row: Row) -> str:
        """Return the difference from the control in the main column, and its interval."""
        contrast = self.contrast(row)
        if contrast is None:
            return ""
        text = f"{contrast.difference:+z.2f}"
        if contrast.low is not None:
            text += f" [{contrast.low:+z.2f}, {contrast.high:+z.2f}]"
        if contrast.p_equivalence is not None and contrast.p_equivalence < ALPHA:
            text += f" {EQUAL}"
        return text

    def p(self, row: Row) -> str:
        """Return the corrected p of the main column."""
        contrast = self.contrast(row)
        if contrast is None or contrast.p_holm is None:
            return ""
        if contrast.p_holm < LEAST_P:
            return f"< {LEAST_P}"
        return f"{contrast.p_holm:.4f}"

    def contrast(self, row: Row) -> Contrast | None:
        """Return a row's contrast with its control in the main column."""
        cell = row.cells.get(self.layout.main_column)
        return cell and cell.contrast


def _published(cell: Cell, stand_in: tuple[str, ...]) -> str:
    if stand_in:
        return f"{cell.published:.2f}"
    difference = MISSING if cell.difference is None else f"{cell.difference:+z.2f}"
    return f"{cell.published:.2f} ({difference})"


def spread(sd: float | None) -> str:
    """Return a standard deviation as it is printed after ±: a dash where one value has none."""
    return "–" if sd is None else f"{sd:.2f}"
