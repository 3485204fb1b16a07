"""A table as CSV (unrounded, for programs), Markdown and LaTeX (rounded once, for people)."""

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass

from semblance.names import STS_DEV
from semblance.reporting.layouts import Layout, find_layout
from semblance.reporting.table import Cell, Row, Table

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
)
CSV_FIELDS = ("_sd", "_p", "_p_bootstrap", "_published", "_difference")  # after a column's mean
MISSING = "n/a"
PUBLISHED = "published (Δ)"
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
}


@dataclass(frozen=True)
class Style:
    """How one target writes text, and a marked number (``*`` p < .05, ``_`` p < .1)."""

    text: Callable[[str], str]
    marked: Callable[[str, str], str]


def csv_text(table: Table) -> str:
    """Return one line a row, values in points by ``repr``: nothing is rounded.

    After ``LEADING``, each column ``c`` gives ``c``, ``c_sd``, ``c_p``, ``c_p_bootstrap``,
    ``c_published`` and ``c_difference``; a seed's own column gives only ``c``. ``n/a``: missing;
    empty: does not apply.
    """
    layout = find_layout(table.layout)
    fields = {column: _csv_fields(layout, column) for column in table.columns}
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    header = [column + field for column in table.columns for field in fields[column]]
    writer.writerow([*LEADING, *header])
    for row in table.rows:
        line = _leading(table, row)
        for column in table.columns:
            line += _csv_values(row.cells.get(column), fields[column])
        writer.writerow(line)
    return buffer.getvalue()


def _csv_fields(layout: Layout, column: str) -> tuple[str, ...]:
    if layout.is_of_one_seed(column):
        return ("",)
    return ("", *CSV_FIELDS)


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
    ]


def _csv_values(cell: Cell | None, fields: tuple[str, ...]) -> list[str]:
    """Return the fields of one cell: its mean, then those of ``CSV_FIELDS`` that its column has."""
    if cell is None:
        return [""] * len(fields)
    mean = MISSING if cell.mean is None else cell.mean
    values = [mean, cell.sd, cell.p, cell.p_bootstrap, cell.published, cell.difference]
    # str(float) is repr(float)
    return ["" if value is None else str(value) for value in values[: len(fields)]]


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
    """Return header and lines of finished text; published values stand below the measured ones."""
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
        columns = self.table.columns
        header = ["", "n", *map(self.name, columns)]
        lines = []
        for row in self.table.rows:
            shown = [self.shown(row, column) for column in columns]
            lines.append([self.label(row), str(len(row.seeds)), *shown])
            beside = [self.published(row, column) for column in columns]
            if any(beside):
                lines.append([self.style.text(f"  {PUBLISHED}"), "", *beside])
        return header, lines

    def turned(self) -> tuple[list[str], list[list[str]]]:
        """Return header and lines, each row in a column, as RCL prints its Table 4."""
        rows = self.table.rows
        header = ["", *map(self.label, rows)]
        lines = [["n", *(str(len(row.seeds)) for row in rows)]]
        for column in self.table.columns:
            shown = [self.shown(row, column) for row in rows]
            lines.append([self.name(column), *shown])
            beside = [self.published(row, column) for row in rows]
            if any(beside):
                lines.append([self.style.text(PUBLISHED), *beside])
        return header, lines

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
        text = self.style.text(text)
        return self.style.marked(cell.mark, text) if cell.mark else text

    def published(self, row: Row, column: str) -> str:
        """Return the published value and our difference from it; empty where there is none.

        A stand-in has no difference to show.
        """
        cell = row.cells.get(column)
        if cell is None or cell.published is None:
            return ""
        if row.stand_in:
            return self.style.text(f"{cell.published:.2f}")
        difference = MISSING if cell.difference is None else f"{cell.difference:+.2f}"
        return self.style.text(f"{cell.published:.2f} ({difference})")


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
