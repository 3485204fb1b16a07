"""A table as CSV (unrounded, for programs), as Markdown and for a terminal (rounded once)."""

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from semblance.counts import counted, padded
from semblance.files import rows_csv
from semblance.reporting.grids import (
    DIFFERENCE,
    EQUAL,
    NAMES,
    P_VALUE,
    PUBLISHED,
    Column,
    grid,
    unrounded,
)
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
LEAST_LABEL = 18  # characters of a row's label on a terminal, where it is broken into lines
# What a terminal's form leaves out, in its legend's words: the first form that fits is shown.
SPREAD, ALL_SPREAD, P, OTHERS, PAPER = "± of tasks", "±", "p", "other columns", "published"
FORMS = ((), (SPREAD,), (SPREAD, P), (ALL_SPREAD, P), (OTHERS, P), (OTHERS, P, PAPER))
SHORT = {DIFFERENCE: "less control [95 %]", P_VALUE: "p"}
STAND_IN = "  (paper)"  # the label of a published row that is of other models or data than ours
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


def fitted(table: Table, width: int, notes: str) -> str:
    """Return a table for a terminal of so many columns, which says what it leaves out to fit.

    The paper's line is directly under ours. ``notes`` says where to read the table's notes, of which
    its own one alone is shown.
    """
    for left_out in FORMS:
        lines = list(_lines(table, left_out))
        gap = " " if ALL_SPREAD in left_out else "  "
        breadth = len(gap.join(padded(lines)[0]))
        longest = max(len(label) for label, *_ in lines)
        room = longest + width - breadth
        if room >= min(longest, LEAST_LABEL):
            break
    labels = [textwrap.wrap(line[0], max(LEAST_LABEL, room)) or [""] for line in lines]
    whole = padded([[label[0], *line[1:]] for label, line in zip(labels, lines, strict=True)])
    rows = []
    for cells, label in zip(whole, labels, strict=True):
        rows += [gap.join(cells).rstrip(), *(f"  {rest}" for rest in label[1:])]
    general = find_layout(table.layout).notes(table.folds)
    own = [note for note in table.notes[:1] if note != general]
    below = [textwrap.shorten(note, width, placeholder=" …") for note in own]
    below += textwrap.wrap("; ".join(_legend(table, lines, left_out)), width)
    title = textwrap.wrap(table.title, width)
    return "\n".join(
        [*title, "", *rows, "", *below, f"{counted(len(table.notes), 'note')}: {notes}"]
    )


def _lines(table: Table, left_out: Sequence[str]) -> Iterator[list[str]]:
    """Yield the header and the lines of a form of a table, which leaves some things out."""
    columns = _columns(table, left_out)
    names = [column.name for column in columns]
    has_lines = PUBLISHED not in names and PAPER not in left_out
    yield ["", *(SHORT.get(name, name) for name in names)]
    for number, (label, row) in enumerate(zip(grid(table).labels, table.rows, strict=True)):
        places = [column.places[number] for column in columns]
        yield [label, *(place.mark + place.whole for place in places)]
        published = [place.published for place in places]
        if has_lines and any(published):
            yield [STAND_IN if row.stand_in else "  paper", *published]


def _columns(table: Table, left_out: Sequence[str]) -> list[Column]:
    """Return the columns of a form; one of published values only if it has no lines of them."""
    main = find_layout(table.layout).main_column
    main = NAMES.get(main, main)
    columns = []
    for column in grid(table).columns:
        is_other = column.group != "behind" and column.name not in ("n", main)
        if {P_VALUE: P, PUBLISHED: PAPER}.get(column.name, OTHERS if is_other else "") in left_out:
            continue
        if ALL_SPREAD in left_out or (is_other and SPREAD in left_out):
            column = replace(column, places=[replace(one, deviation="") for one in column.places])
        columns.append(column)
    if any(one.published for column in columns if column.name != main for one in column.places):
        return [column for column in columns if column.name != PUBLISHED]
    return columns


def _legend(table: Table, lines: list[list[str]], left_out: Sequence[str]) -> Iterator[str]:
    """Yield what the signs mean that the lines have, and what the lines leave out."""
    cells = "".join(cell for line in lines for cell in line[1:])
    yield "mean ± sd of n seeds" if "±" in cells else "means of n seeds"
    if any(line[0] == STAND_IN for line in lines):
        yield f"{STAND_IN.strip()}: other models or data"
    elif PUBLISHED in lines[0] and any(row.stand_in for row in table.rows):
        yield "published without (Δ): other models or data"
    signs = {"*": "* p < .05", "_": "_ p < .1", EQUAL: f"{EQUAL} within ±{table.margin:g}"}
    yield from (text for sign, text in signs.items() if sign in cells)
    names = {column.name for column in grid(table).columns}
    lacks = {what for what, name in ((P, P_VALUE), (PAPER, PUBLISHED)) if name not in names}
    lacks |= {SPREAD, OTHERS} if len(table.columns) == 1 else set()
    if words := [what for what in left_out if what not in lacks]:
        yield f"left out: {', '.join(words)}"


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
