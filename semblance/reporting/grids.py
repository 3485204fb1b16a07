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
class Text:
    """The text of one place, as yet without a target's own signs.

    ``mark`` is ``*`` (p < .05) or ``_`` (p < .1).
    """

    plain: str = ""
    mark: str = ""


@dataclass(frozen=True)
class Grid:
    """Header and lines of a table, all of them of the same length; labels stand in column 0.

    ``groups`` has the numbers of the other columns, those together that belong together.
    """

    header: list[Text]
    lines: list[list[Text]]
    groups: list[range]


def grid(table: Table) -> Grid:
    """Return the text of a table; standard deviations stand beside their means."""
    layout = find_layout(table.layout)
    printed = _Printed(table, layout)
    if layout.turned:
        return printed.turned()
    return printed.upright()


def with_deviation(mean: float, sd: float | None) -> str:
    """Return ``mean ± sd``; the mean alone where a single value has no deviation."""
    if sd is None:
        return f"{mean:.2f}"
    return f"{mean:.2f} ± {sd:.2f}"


@dataclass(frozen=True)
class _Printed:
    """The text of a table's places."""

    table: Table
    layout: Layout

    def upright(self) -> Grid:
        """Return the grid with each row on a line."""
        of_seeds = [c for c in self.table.columns if self.layout.is_of_one_seed(c)]
        columns = [c for c in self.table.columns if c not in of_seeds]
        behind = self.behind()
        header = ["", "n", *map(self.name, columns), *behind, *map(self.name, of_seeds)]
        lines = []
        for row in self.table.rows:
            line = [Text(self.label(row)), Text(str(len(row.seeds)))]
            line += [self.shown(row, column) for column in columns]
            line += [Text(text(row)) for text in behind.values()]
            lines.append(line + [self.shown(row, column) for column in of_seeds])
        groups = _column_groups(1 + len(columns), len(behind), len(of_seeds))
        return Grid(list(map(Text, header)), lines, groups)

    def turned(self) -> Grid:
        """Return the grid with each row in a column, as RCL prints its Table 4."""
        rows = self.table.rows
        header = ["", *map(self.label, rows)]
        lines = [[Text("n"), *(Text(str(len(row.seeds))) for row in rows)]]
        for column in self.table.columns:
            lines.append([Text(self.name(column)), *(self.shown(row, column) for row in rows)])
        for name, text in self.behind().items():
            lines.append([Text(name), *(Text(text(row)) for row in rows)])
        return Grid(list(map(Text, header)), lines, _column_groups(len(rows)))

    def behind(self) -> dict[str, Callable[[Row], str]]:
        """Return what stands behind the values of a row: a name, and the text of each row."""
        found = {PUBLISHED: self.published, DIFFERENCE: self.difference, P_VALUE: self.p}
        return {name: text for name, text in found.items() if any(map(text, self.table.rows))}

    def name(self, column: str) -> str:
        """Return a column's name as it is printed."""
        return NAMES.get(column, column)

    def label(self, row: Row) -> str:
        """Return a row's label, with its protocol where the table has several."""
        protocols = {other.protocol for other in self.table.rows}
        if len(protocols) > 1:
            return f"{row.label} [{row.protocol}]"
        return row.label

    def shown(self, row: Row, column: str) -> Text:
        """Return our value in one place; empty where the column does not apply to the row."""
        cell = row.cells.get(column)
        if cell is None:
            return Text()
        if cell.mean is None:
            return Text(MISSING)
        text = f"{cell.mean:.2f}"
        deviation = self.deviation(cell, column)
        if deviation:
            text = f"{text} {deviation}"
        return Text(text, cell.mark)

    def deviation(self, cell: Cell | None, column: str) -> str:
        """Return what stands beside a mean; empty where a value has no deviation."""
        if cell is None or cell.sd is None or not self.layout.has_spread(column):
            return ""
        text = f"± {cell.sd:.2f}"
        if self.layout.is_of_best_seeds(column):
            text += f" ({cell.population_sd:.2f})"
        return text

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


def _column_groups(*sizes: int) -> list[range]:
    """Return the numbers of the columns behind the labels, in groups of these sizes."""
    groups = []
    first = 1
    for size in sizes:
        groups.append(range(first, first + size))
        first += size
    return list(filter(None, groups))
