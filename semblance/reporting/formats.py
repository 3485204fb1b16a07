"""A table as CSV (unrounded, for programs), Markdown and LaTeX (rounded once, for people)."""

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass

from semblance.names import STS_DEV
from semblance.reporting.layouts import Layout, find_layout
from semblance.reporting.significance import ALPHA
from semblance.reporting.table import Cell, Contrast, Row, Table

LEADING = (
    "table",
    "layout",
    "label",
    "corpus",
    "base",
    "method",
    "seeds",
    "n",
    "protocol",
    "metric",
    "aggregation",
    "tasks",
    "dataset",
    "folds",
    "stand_in",
    "control",
    "test",
    "margin",
)
# Behind a column's mean in the CSV: the end of the field's name, and the attribute of the cell.
OF_SPREAD = {"_sd": "sd", "_published": "published", "_difference": "difference"}
OF_BEST_SEEDS = {"_population_sd": "population_sd"}
OF_CONTRAST = {  # as above, and the attribute of the cell's contrast
    "_control_difference": "difference",
    "_control_low": "low",
    "_control_high": "high",
    "_p": "p",
    "_p_holm": "p_holm",
    "_p_exact": "p_exact",
    "_p_equivalence": "p_equivalence",
    "_detectable": "detectable",
    "_p_bootstrap": "p_bootstrap",
    "_bootstrap_low": "bootstrap_low",
    "_bootstrap_high": "bootstrap_high",
    "_item_error": "item_error",
}
MISSING = "n/a"
PUBLISHED = "published (Δ)"
DIFFERENCE = "difference [95 % interval]"
P_VALUE = "p"
EQUAL = "≈"  # behind a difference: equal to the control within the margin
LEAST_P = 0.0001  # a smaller p is printed as smaller than this
MARKDOWN = "\\|*_`<>[]"  # the characters that Markdown would take for its own
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
LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
    "φ": r"$\phi$",
    "ϕ": r"$\phi$",
    "−": "$-$",
    "×": r"$\times$",
    "–": "--",
    "“": "``",
    "”": "''",
    "Δ": r"$\Delta$",
    "≈": r"$\approx$",
}


@dataclass(frozen=True)
class Style:
    """How one target writes text, and a marked number (``*`` p < .05, ``_`` p < .1)."""

    text: Callable[[str], str]
    marked: Callable[[str, str], str]


def csv_text(table: Table) -> str:
    """Return one line a row, values in points by ``repr``: nothing is rounded.

    After ``LEADING``, each column ``c`` gives ``c`` and what stands in ``OF_SPREAD``, in
    ``OF_BEST_SEEDS`` if its seeds are chosen, in ``OF_CONTRAST`` if it is tested; a seed's own
    column gives only ``c``. ``n/a``: missing; empty: does not apply.
    """
    layout = find_layout(table.layout)
    lines = [_leading(table, row) for row in table.rows]
    header = list(LEADING)
    for column in table.columns:
        header += [column + end for end in _csv_ends(layout, column)]
        for line, row in zip(lines, table.rows, strict=True):
            line += _csv_values(layout, column, row.cells.get(column))
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows([header, *lines])
    return buffer.getvalue()


def _csv_ends(layout: Layout, column: str) -> list[str]:
    """Return what the names of a column's fields end with."""
    return ["", *_of_cell(layout, column), *_of_contrast(layout, column)]


def _of_cell(layout: Layout, column: str) -> dict[str, str]:
    if layout.is_of_one_seed(column):
        return {}
    if layout.is_of_best_seeds(column):
        return OF_SPREAD | OF_BEST_SEEDS
    return OF_SPREAD


def _of_contrast(layout: Layout, column: str) -> dict[str, str]:
    if layout.has_test(column):
        return OF_CONTRAST
    return {}


def _leading(table: Table, row: Row) -> list[object]:
    return [
        table.name,
        table.layout,
        row.label,
        row.corpus,
        row.base,
        row.method,
        " ".join(map(str, row.seeds)),
        len(row.seeds),
        row.protocol,
        table.metric,
        table.aggregation,
        " ".join(table.tasks),
        table.dataset or "",
        table.folds or "",
        "; ".join(row.stand_in),
        row.control or "",
        row.test,
        table.margin,
    ]


def _csv_values(layout: Layout, column: str, cell: Cell | None) -> list[str]:
    """Return the fields of one cell, in the order of ``_csv_ends``."""
    if cell is None:
        return [""] * len(_csv_ends(layout, column))
    mean = MISSING if cell.mean is None else cell.mean
    values = [mean, *(getattr(cell, name) for name in _of_cell(layout, column).values())]
    for name in _of_contrast(layout, column).values():
        values.append(getattr(cell.contrast, name, None))
    # str(float) is repr(float)
    return ["" if value is None else str(value) for value in values]


def markdown(table: Table) -> str:
    """Return a heading, a pipe table, and the notes as a list."""
    style = Style(escape_markdown, lambda mark, text: f"\\{mark}{text}")
    header, body = _grid(table, style)
    rules = ["---", *["---:"] * (len(header) - 1)]
    lines = [
        f"## {escape_markdown(table.title)}",
        "",
        *(f"| {' | '.join(line)} |" for line in (header, rules, *body)),
        "",
        *(f"- {escape_markdown(note)}" for note in table.notes),
    ]
    return "\n".join(lines) + "\n"


def latex(table: Table) -> str:
    """Return a ``table`` environment with booktabs rules; the notes stand below the rules."""
    header, body = _grid(table, Style(_escape_latex, _marked_latex))
    columns = "l" + "r" * (len(header) - 1)
    lines = [
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{_escape_latex(table.title)}}}",
        rf"  \label{{tab:{table.name}}}",
        rf"  \begin{{tabular}}{{{columns}}}",
        r"    \toprule",
        rf"    {' & '.join(header)} \\",
        r"    \midrule",
        *(rf"    {' & '.join(line)} \\" for line in body),
        r"    \bottomrule",
        r"  \end{tabular}",
        *(rf"  \par\footnotesize {_escape_latex(note)}" for note in table.notes),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _grid(table: Table, style: Style) -> tuple[list[str], list[list[str]]]:
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
        text = f"{contrast.difference:+.2f}"
        if contrast.low is not None:
            text += f" [{contrast.low:+.2f}, {contrast.high:+.2f}]"
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
    difference = MISSING if cell.difference is None else f"{cell.difference:+.2f}"
    return f"{cell.published:.2f} ({difference})"


def spread(sd: float | None) -> str:
    """Return a standard deviation as it is printed after ±: a dash where one value has none."""
    return "–" if sd is None else f"{sd:.2f}"


def escape_markdown(text: str) -> str:
    """Return text in which no character means anything to Markdown."""
    return "".join(f"\\{letter}" if letter in MARKDOWN else letter for letter in text)


def _escape_latex(text: str) -> str:
    return "".join(LATEX.get(letter, letter) for letter in text)


def _marked_latex(mark: str, text: str) -> str:
    if mark == "*":
        return f"$^{{*}}${text}"
    return f"\\underline{{{text}}}"
