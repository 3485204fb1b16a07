"""A table as LaTeX that fits on the pages of an article, with no package but booktabs.

It is set in \\footnotesize. Where the values of a row are too wide, their deviations stand below
them. Columns that do not fit stand in a further tabular behind the same labels, and tabulars that
do not fit on the page in a further table.
"""

import math
from dataclasses import dataclass

from semblance.reporting.grids import Grid, Text, grid
from semblance.reporting.table import Table

# In points. The text of a page with margins of one inch is 453 by 700 on A4, 469 by 650 on letter.
TEXT_WIDTH = 450.0
TEXT_HEIGHT = 620.0  # leaves room for a caption
MOST = 150.0  # a wider text is broken into lines
SEPARATION = 3.0  # on each side of a column
LINE = 9.5
GAP = 2.0  # below each row
RULES = 30.0  # of a tabular: its header, its rules and the space below
# Widths of the characters of Computer Modern Roman at 10 points, rounded up.
CHARACTERS = {
    2.8: "!',.:;[]_`il·",
    3.4: "fj -",
    4.0: "I()rst",
    4.8: "cez<>?",
    5.3: '"$*/0123456789^agokqvxy{}~–',
    5.6: "Sbdhnpuφ",
    6.9: "EFJLPZϕ",
    7.8: "&+=@ABCDHKNOQRTUVXYw±−×≈",
}
WIDTHS = {letter: width for width, letters in CHARACTERS.items() for letter in letters}
WIDEST = 10.3
FOOTNOTE_SIZE = 0.85  # a character's width at 8 points, as a share of its width at 10
ESCAPED = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "[": "{[}",  # or a label such as "[CLS]" would be the option of the command before it
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


@dataclass(frozen=True)
class Block:
    """Some lines of a table's LaTeX, and about their height in points."""

    lines: list[str]
    height: float


def latex(table: Table) -> str:
    """Return a ``table`` environment with booktabs rules; the notes stand below the rules.

    A table that is too tall for a page gives several environments.
    """
    first, *further = _pages([*_tabulars(table), _notes(table)])
    caption = _escape(table.title)
    lines = _environment(first, rf"\caption{{{caption}}}", rf"\label{{tab:{table.name}}}")
    for blocks in further:
        lines += _environment(blocks, rf"\caption{{{caption} (continued)}}")
    return "\n".join(lines) + "\n"


def _tabulars(table: Table) -> list[Block]:
    """Return the tabulars of a table, with deviations beside the means if there is room."""
    printed = grid(table)
    if len(split(printed.groups[:1], _widths(printed))) > 1:
        printed = grid(table, deviations_below=True)
    return [_tabular(printed, columns) for columns in split(printed.groups, _widths(printed))]


def split(groups: list[range], widths: list[float]) -> list[list[int]]:
    """Return the columns of each tabular, the labels first; a group stands together if it fits.

    ``widths`` are those of all columns in points, with their separation.
    """
    parts: list[list[int]] = [[0]]
    for group in groups:
        together = sum(widths[column] for column in group)
        for column in group:
            used = sum(widths[other] for other in parts[-1])
            needed = widths[column]
            if column == group[0] and widths[0] + together <= TEXT_WIDTH:
                needed = together
            if used + needed > TEXT_WIDTH and len(parts[-1]) > 1:
                parts.append([0])
            parts[-1].append(column)
    return parts


def _widths(printed: Grid) -> list[float]:
    """Return the width of each column with its separation, in points."""
    widths = []
    for texts in zip(printed.header, *printed.lines, strict=True):
        widths.append(min(MOST, max(map(_width, texts))) + 2 * SEPARATION)
    return widths


def _tabular(printed: Grid, columns: list[int]) -> Block:
    """Return a ``tabular`` of some columns; a line without a label belongs to the one above it."""
    shown = [[line[column] for column in columns] for line in (printed.header, *printed.lines)]
    header, *lines = [line for line in shown if any(text.plain for text in line[1:])]
    first_of_row = [bool(line[0].plain) for line in lines]
    ends = [rf"\\[{GAP:g}pt]" if starts else r"\\" for starts in [*first_of_row[1:], True]]
    body = [f"    {_join(line)} {end}" for line, end in zip(lines, ends, strict=True)]
    heights = [LINE * max(map(_lines, line)) for line in lines]
    return Block(
        [
            rf"  \begin{{tabular}}{{l{'r' * (len(columns) - 1)}}}",
            r"    \toprule",
            rf"    {_join(header)} \\",
            r"    \midrule",
            *body,
            r"    \bottomrule",
            r"  \end{tabular}",
            r"  \par\medskip",
        ],
        RULES + sum(heights) + GAP * sum(first_of_row),
    )


def _join(texts: list[Text]) -> str:
    return " & ".join(_written(text) for text in texts)


def _notes(table: Table) -> Block:
    lines = [r"  \raggedright", *(rf"  {_escape(note)}\par" for note in table.notes)]
    return Block(lines, sum(LINE * _lines(Text(note), TEXT_WIDTH) for note in table.notes))


def _pages(blocks: list[Block]) -> list[list[Block]]:
    """Return the blocks of each page."""
    pages: list[list[Block]] = [[]]
    for block in blocks:
        used = sum(other.height for other in pages[-1])
        if pages[-1] and used + block.height > TEXT_HEIGHT:
            pages.append([])
        pages[-1].append(block)
    return pages


def _environment(blocks: list[Block], *head: str) -> list[str]:
    lines = [r"\begin{table}", r"  \centering", *(f"  {line}" for line in head)]
    lines += [r"  \footnotesize", rf"  \setlength{{\tabcolsep}}{{{SEPARATION:g}pt}}"]
    for block in blocks:
        lines += block.lines
    return [*lines, r"\end{table}"]


def _width(text: Text) -> float:
    """Return about how wide a text is on one line, in points, and no less."""
    letters = text.mark + text.plain
    return FOOTNOTE_SIZE * sum(WIDTHS.get(letter, WIDEST) for letter in letters)


def _lines(text: Text, width: float = MOST) -> int:
    """Return on how many lines a text stands."""
    return max(1, math.ceil(_width(text) / width))


def _written(text: Text) -> str:
    """Return a text escaped, marked, and broken into lines if it is too wide."""
    written = _escape(text.plain)
    if text.mark == "*":
        written = f"$^{{*}}${written}"
    elif text.mark:
        written = f"\\underline{{{written}}}"
    if _lines(text) > 1:
        return rf"\parbox[t]{{{MOST:g}pt}}{{\raggedright {written}}}"
    return written


def _escape(text: str) -> str:
    return "".join(ESCAPED.get(letter, letter) for letter in text)
