"""A table as CSV (unrounded, for programs) and as Markdown (rounded once, for people)."""

import csv
import io
import re

from semblance.reporting.grids import grid, unrounded
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
LINK = re.compile(r"\][(\[:]")


def csv_text(table: Table) -> str:
    """Return one line a row, values in points by ``repr``: nothing is rounded."""
    buffer = io.StringIO()
    # For a float, which csv writes by repr, nothing is lost; an empty field stands for None.
    csv.writer(buffer, lineterminator="\n").writerows(unrounded(table))
    return buffer.getvalue()


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


def aligned(lines: list[list[str]]) -> list[str]:
    """Return the lines of a table, labels to the left and numbers to the right of their columns."""
    widths = [max(3, *map(len, column)) for column in zip(*lines, strict=True)]
    header, *others = lines
    rule = ["-" * widths[0], *(f"{'-' * (width - 1)}:" for width in widths[1:])]
    found = []
    for label, *numbers in (header, rule, *others):
        places = [text.rjust(width) for text, width in zip(numbers, widths[1:], strict=True)]
        found.append(f"| {' | '.join([label.ljust(widths[0]), *places])} |")
    return found


def escape_markdown(text: str) -> str:
    """Return text in which no character means anything to Markdown, with as few signs as can be."""
    escaped = SIGNS.sub(lambda sign: f"\\{sign[0]}", text)
    if LINK.search(text):
        escaped = re.sub(r"(?<!\\)\[", r"\\[", escaped)
    return escaped
