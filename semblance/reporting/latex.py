"""A table as LaTeX: longtables with booktabs rules, which break over pages by themselves.

A deviation stands as a subscript of its mean. The values, and what stands behind them, have a
longtable each, so that the seven STS tasks fit on the line of an article.
"""

import itertools
from dataclasses import replace

from semblance.reporting.grids import Text, grid
from semblance.reporting.table import Table

LABELS = r"p{.3\textwidth}"  # a longer label is broken into lines
LETTERS = "pm phi phi alpha lambda tau times Delta cdot approx".split()
ESCAPED = str.maketrans(
    {sign: f"\\{sign}" for sign in "&%$#_{}"}
    # Or a label such as "[CLS]" would be an option of the line's end before it; so would a star.
    | {sign: f"{{{sign}}}" for sign in "[*"}
    | {sign: f"$\\{name}$" for sign, name in zip("±φϕαλτ×Δ·≈", LETTERS, strict=True)}
    | {"−": "$-$", "–": "--", "“": "``", "”": "''"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
)


def latex(table: Table) -> str:
    """Return the longtables of a table, the notes below them."""
    printed = grid(table)
    parts = [printed]
    if not printed.turned:  # a longtable for the columns that belong together
        groups = itertools.groupby(printed.columns, lambda column: column.group)
        parts = [replace(printed, columns=list(columns)) for _, columns in groups]
    lines = [r"\begingroup\footnotesize\setlength{\tabcolsep}{3pt}"]
    caption = [rf"  \caption{{{escape(table.title)}}}\label{{tab:{table.name}}}\\"]
    for part in parts:
        lines += _longtable(part.lines(), caption)
        caption = []
    lines += [rf"\noindent {escape(note)}\par" for note in table.notes]
    return "\n".join([*lines, r"\endgroup"]) + "\n"


def _longtable(lines: list[list[Text]], caption: list[str]) -> list[str]:
    """Return the lines of a longtable; its header stands on each page."""
    header, *others = (rf"  {' & '.join(map(_in_latex, line))} \\" for line in lines)
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


def _in_latex(place: Text) -> str:
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
    return text.translate(ESCAPED)
