"""A table as CSV (unrounded, for programs), as Markdown and for a terminal (rounded once)."""

import re
import textwrap
from collections.abc import Iterable
from dataclasses import replace

from semblance.counts import padded, text_table
from semblance.files import rows_csv
from semblance.reporting.grids import DIFFERENCE, NAMES, Grid, grid, unrounded
from semblance.reporting.layouts import find_layout
from semblance.reporting.table import Table

# Where Markdown, as GitHub reads it, would take a character for its own: the signs of an escape, of
# code and of a table's cell; emphasis at the edge of a word; a tag, an entity, a link, a strike.
SIGNS = re.compile(
    r"""[\\`|]
    | (?<![a-zA-Z0-9])_(?!\ ) | _(?![a-zA-Z0-9\ ]) | ^[_>\[]
    | \*(?!\ ) | (?<!\ )\* | ^\*
    | <(?=[a-zA-Z/!?]) | &(?=[a-zA-Z#]) | \[(?=\^) | ~(?=~) | (?<=~)~
    """,
    re.VERBOSE,
)
LEAST_LABEL = 12  # characters of a row's label there, which is broken into lines
LINK = re.compile(r"\][(\[:]")


def table_csv(table: Table) -> str:
    """Return one line a row, values in points: nothing is rounded."""
    rows = unrounded(table)
    return rows_csv(rows[0], rows)


def markdown(table: Table) -> str:
    """Return a heading, a table that is aligned on a terminal, too, and the notes as a list."""
    # A mark stands before a number, where Markdown takes it literally.
    lines = [
        [place.mark + escape_markdown(place.whole) for place in line]
        for line in grid(table).lines()
    ]
    parts = [
        f"## {escape_markdown(table.title)}",
        "",
        *aligned(lines),
        "",
        *(f"- {escape_markdown(note)}" for note in table.notes),
    ]
    return "\n".join(parts) + "\n"


def fitted(table: Table, width: int) -> str:
    """Return a table for a terminal of so many columns: the whole one, or what decides about a row.

    That is n, the column by which the layout compares rows, and the difference from the control.
    """
    printed = grid(table)
    lines = _shown(printed)
    if _breadth(lines) > width:
        main = find_layout(table.layout).main_column
        names = ("n", NAMES.get(main, main), DIFFERENCE)
        columns = [column for column in printed.columns if column.name in names]
        lines = _shown(replace(printed, columns=columns, turned=False))
    left = width - _breadth(lines) + max(len(label) for label, *_ in lines)
    labels = [textwrap.wrap(label, max(LEAST_LABEL, left)) or [""] for label, *_ in lines]
    whole = text_table([[label[0], *line[1:]] for label, line in zip(labels, lines, strict=True)])
    rows = [text for row, label in zip(whole, labels, strict=True) for text in (row, *label[1:])]
    notes = [
        textwrap.fill(note, width, initial_indent="- ", subsequent_indent="  ")
        for note in table.notes
    ]
    return "\n".join([*textwrap.wrap(table.title, width), "", *rows, "", *notes])


def _shown(printed: Grid) -> list[list[str]]:
    return [[place.mark + place.whole for place in line] for line in printed.lines()]


def _breadth(lines: list[list[str]]) -> int:
    return max(map(len, text_table(lines)))


def aligned(lines: list[list[str]]) -> list[str]:
    """Return the lines of a table, labels to the left and numbers to the right of their columns."""
    header, *others = padded(lines, least=3)
    first, *numbers = map(len, header)
    rule = ["-" * first, *(f"{'-' * (width - 1)}:" for width in numbers)]
    return [f"| {' | '.join(cells)} |" for cells in (header, rule, *others)]


def markdown_line(cells: Iterable[str]) -> str:
    """Return one line of a Markdown table that need not be aligned, its cells escaped."""
    return f"| {' | '.join(map(escape_markdown, cells))} |"


def escape_markdown(text: str) -> str:
    """Return text in which no character means anything to Markdown, with as few signs as can be."""
    escaped = SIGNS.sub(lambda sign: f"\\{sign[0]}", text)
    if LINK.search(text):
        escaped = re.sub(r"(?<!\\)\[", r"\\[", escaped)
    return escaped
