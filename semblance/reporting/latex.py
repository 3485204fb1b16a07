"""A table as LaTeX: longtables with booktabs rules, which break over pages by themselves.

A deviation stands as a subscript of its mean. The values, and what stands behind them, have a
longtable each, so that the seven STS tasks fit on the line of an article.
"""

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
    first, *further = printed.groups
    caption = rf"\caption{{{_escape(table.title)}}}\label{{tab:{table.name}}}\\"
    lines = [r"\begingroup\footnotesize\setlength{\tabcolsep}{3pt}"]
    lines += _longtable(printed, first, caption)
    for columns in further:
        lines += _longtable(printed, columns, "")
    lines += [rf"\noindent {_escape(note)}\par" for note in table.notes]
    return "\n".join([*lines, r"\endgroup"]) + "\n"


def _longtable(printed: Grid, columns: range, caption: str) -> list[str]:
    """Return the lines of some columns behind the labels; the header stands on each page."""
    header, *lines = (
        [line[0], *(line[column] for column in columns)]
        for line in (printed.header, *printed.lines)
    )
    return [
        rf"\begin{{longtable}}{{{LABELS}{'r' * len(columns)}}}",
        *([f"  {caption}"] if caption else []),
        r"  \toprule",
        rf"  {_join(header)} \\",
        r"  \midrule \endhead",
        r"  \bottomrule \endfoot",
        *(rf"  {_join(line)} \\" for line in lines),
        r"\end{longtable}",
    ]


def _join(texts: list[Text]) -> str:
    return " & ".join(map(_written, texts))


def _written(text: Text) -> str:
    """Return a text escaped and marked; the deviation behind a mean as its subscript."""
    mean, _, deviation = _escape(text.plain).partition(r" $\pm$ ")
    written = mean
    if text.mark == "*":
        written = f"$^{{*}}${mean}"
    elif text.mark:
        written = rf"\underline{{{mean}}}"
    if deviation:
        written += rf"$_{{\pm {deviation}}}$"
    return written


def _escape(text: str) -> str:
    return "".join(ESCAPED.get(letter, letter) for letter in text)
