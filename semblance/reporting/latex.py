"""A table as LaTeX: longtables with booktabs rules, which break over pages by themselves.

A deviation stands as a subscript of its mean. The values, and what stands behind them, have a
longtable each, so that the seven STS tasks fit on the line of an article.
"""

import itertools
from dataclasses import replace

from semblance.reporting.grids import Grid, Text, grid
from semblance.reporting.table import Table

LABELS = r"p{.3\textwidth}"  # a longer label is broken into lines
ESCAPED = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "[": "{[}",  # or a label such as "[CLS]" would be an option of the line's end before it
    "*": "{*}",  # so would a star
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
    "φ": r"$\phi$",
    "ϕ": r"$\phi$",
    "α": r"$\alpha$",
    "λ": r"$\lambda$",
    "τ": r"$\tau$",
    "−": "$-$",
    "×": r"$\times$",
    "–": "--",
    "“": "``",
    "”": "''",
    "Δ": r"$\Delta$",
    "·": r"$\cdot$",
    "≈": r"$\approx$",
}


def latex(table: Table) -> str:
    """Return the longtables of a table, the notes below them."""
    printed = grid(table)
    lines = [r"\begingroup\footnotesize\setlength{\tabcolsep}{3pt}"]
    caption = [rf"  \caption{{{escape(table.title)}}}\label{{tab:{table.name}}}\\"]
    for part in _groups(printed):
        lines += _longtable(part.lines(), caption)
        caption = []
    lines += [rf"\noindent {escape(note)}\par" for note in table.notes]
    return "\n".join([*lines, r"\endgroup"]) + "\n"


def _groups(printed: Grid) -> list[Grid]:
    """Return the parts of a grid that have a longtable each: columns that belong together."""
    if printed.turned:
        return [printed]
    groups = itertools.groupby(printed.columns, lambda column: column.group)
    return [replace(printed, columns=list(columns)) for _, columns in groups]


def _longtable(lines: list[list[Text]], caption: list[str]) -> list[str]:
    """Return the lines of a longtable; its header stands on each page."""
    header, *others = (rf"  {' & '.join(map(_written, line))} \\" for line in lines)
    return [
        rf"\begin{{longtable}}{{{LABELS}{'r' * (len(lines[0]) - 1)}}}",
        *caption,
        r"  \toprule",
        header,
        r"  \midrule \endhead",
        r"  \bottomrule \endfoot",
        *others,
        r"\end{longtable}",
    ]


def _written(place: Text) -> str:
    """Return a text escaped and marked; the deviation behind a mean as its subscript."""
    written = escape(place.text)
    if place.mark == "*":
        written = f"$^{{*}}${written}"
    elif place.mark:
        written = rf"\underline{{{written}}}"
    if place.deviation:
        deviation = place.deviation.replace("±", r"\pm")
        written += f"$_{{{deviation}}}$"
    return written


def escape(text: str) -> str:
    """Return text in which no character means anything to LaTeX."""
    return "".join(ESCAPED.get(letter, letter) for letter in text)
