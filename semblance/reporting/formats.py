"""A table as CSV (unrounded, for programs), Markdown and LaTeX (rounded once, for people)."""

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass

from semblance.reporting.table import AVERAGE, Cell, Row, Table

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
    "reference",
    "test",
)
MISSING = "n/a"
NAMES = {
    "sts12": "STS12",
    "sts13": "STS13",
    "sts14": "STS14",
    "sts15": "STS15",
    "sts16": "STS16",
    "stsb": "STS-B",
    "sickr": "SICK-R",
    "stsb-dev": "STS-B dev",
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

    After ``LEADING``, each column gives ``c``, ``c_sd``, ``c_p``, ``c_p_bootstrap``, ``c_published``
    and ``c_difference``; a seed's own column gives ``c`` alone. ``n/a``: missing; empty: does not apply.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([*LEADING, *(name for column in table.columns for name in _names(column))])
    for row in table.rows:
        writer.writerow(
            [
                *_leading(table, row),
                *(value for column in table.columns for value in _values(row, column)),
            ]
        )
    return buffer.getvalue()


def _names(column: str) -> list[str]:
    rest = (
        ()
        if column.startswith("seed ")
        else ("_sd", "_p", "_p_bootstrap", "_published", "_difference")
    )
    return [column, *(column + suffix for suffix in rest)]


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
        row.reference or "",
        row.test,
    ]


def _values(row: Row, column: str) -> list[str]:
    names = _names(column)
    cell = row.cells.get(column)
    if cell is None:
        return [""] * len(names)
    found = [
        MISSING if cell.mean is None else cell.mean,
        cell.sd,
        cell.p,
        cell.p_bootstrap,
        cell.published,
        cell.difference,
    ]
    return [
        "" if value is None else str(value) for value in found[: len(names)]
    ]  # str(float) is repr(float)


def markdown(table: Table) -> str:
    """Return a heading, a pipe table, and the notes as a list."""
    style = Style(_escape_markdown, lambda mark, text: f"\\{mark}{text}")
    header, lines = _grid(table, style)
    rules = ["---"] + ["---:"] * (len(header) - 1)
    body = "\n".join("| " + " | ".join(line) + " |" for line in [header, rules, *lines])
    notes = "".join(f"- {_escape_markdown(note)}\n" for note in table.notes)
    return f"## {_escape_markdown(table.title)}\n\n{body}\n\n{notes}"


def latex(table: Table) -> str:
    """Return a ``table`` environment with booktabs rules; the notes stand below the rules."""
    style = Style(_escape_latex, _marked_latex)
    header, lines = _grid(table, style)
    body = "".join("    " + " & ".join(line) + r" \\" + "\n" for line in lines)
    notes = "".join(f"  \\par\\footnotesize {_escape_latex(note)}\n" for note in table.notes)
    return (
        "\\begin{table}\n  \\centering\n"
        f"  \\caption{{{_escape_latex(table.title)}}}\n  \\label{{tab:{table.name}}}\n"
        f"  \\begin{{tabular}}{{l{'r' * (len(header) - 1)}}}\n    \\toprule\n"
        f"    {' & '.join(header)} \\\\\n    \\midrule\n{body}    \\bottomrule\n  \\end{{tabular}}\n"
        f"{notes}\\end{{table}}\n"
    )


def _grid(table: Table, style: Style) -> tuple[list[str], list[list[str]]]:
    """Return header and lines of finished text; a row with published values is followed by them."""
    several = len({row.protocol for row in table.rows}) > 1
    header = ["", "n", *(style.text(NAMES.get(column, column)) for column in table.columns)]
    lines = []
    for row in table.rows:
        label = f"{row.label} [{row.protocol}]" if several else row.label
        lines.append(
            [
                style.text(label),
                str(len(row.seeds)),
                *(_shown(row, c, style) for c in table.columns),
            ]
        )
        if any(cell.published is not None for cell in row.cells.values()):
            lines.append(
                [
                    style.text("  published (Δ)"),
                    "",
                    *(_beside(row, c, style) for c in table.columns),
                ]
            )
    return (header, lines) if table.layout != "regulators" else _turned(table, lines, style)


def _turned(
    table: Table, lines: list[list[str]], style: Style
) -> tuple[list[str], list[list[str]]]:
    """Turn the rows into columns, as RCL prints its Table 4."""
    header = ["", *(line[0] for line in lines if line[1])]
    turned = [
        ["n", *(line[1] for line in lines if line[1])],
        [style.text(AVERAGE), *(line[2] for line in lines if line[1])],
    ]
    beside = [_beside(row, AVERAGE, style) for row in table.rows]
    return header, turned + ([[style.text("published (Δ)"), *beside]] if any(beside) else [])


def _shown(row: Row, column: str, style: Style) -> str:
    cell = row.cells.get(column)
    if cell is None or cell.mean is None:
        return "" if cell is None else style.text(MISSING)
    single = column == "max" or column.startswith("seed ")
    text = f"{cell.mean:.2f}" if single else f"{cell.mean:.2f} ± {_spread(cell)}"
    return style.marked(cell.mark, style.text(text)) if cell.mark else style.text(text)


def _spread(cell: Cell) -> str:
    return "–" if cell.sd is None else f"{cell.sd:.2f}"


def _beside(row: Row, column: str, style: Style) -> str:
    cell = row.cells.get(column)
    if cell is None or cell.published is None:
        return ""
    gap = MISSING if cell.difference is None else f"{cell.difference:+.2f}"
    return style.text(f"{cell.published:.2f} ({gap})")


def _escape_markdown(text: str) -> str:
    return "".join("\\" + letter if letter in "\\|*_`<>[]" else letter for letter in text)


def _escape_latex(text: str) -> str:
    return "".join(LATEX.get(letter, letter) for letter in text)


def _marked_latex(mark: str, text: str) -> str:
    return f"$^{{*}}${text}" if mark == "*" else f"\\underline{{{text}}}"
