"""A table as CSV (unrounded, for programs), as Markdown and for a terminal (rounded once)."""

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence

from semblance.counts import counted, padded
from semblance.files import rows_csv
from semblance.reporting.grids import (
    DIFFERENCE,
    EQUAL,
    NAMES,
    P_VALUE,
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
# What a table leaves out on a terminal, in its legend's words: of these forms the first that fits.
SPREAD, ALL_SPREAD, OTHERS = "± of tasks", "±", "other columns"
FORMS = ((), (SPREAD,), (SPREAD, P_VALUE), (ALL_SPREAD, P_VALUE), (OTHERS, P_VALUE))
# Of what stands behind the values, a terminal has room for these alone.
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
    header, *others = padded(lines, least=3)
    first, *numbers = map(len, header)
    rule = ["-" * first, *(f"{'-' * (width - 1)}:" for width in numbers)]
    parts = [
        f"## {escape_markdown(table.title)}",
        "",
        *(f"| {' | '.join(cells)} |" for cells in (header, rule, *others)),
        "",
        *(f"- {escape_markdown(note)}" for note in table.notes),
    ]
    return "\n".join(parts) + "\n"


def fitted(table: Table, width: int, notes: str) -> str:
    """Return a table for a terminal of so many columns, which says what it leaves out to fit.

    The paper's line is directly under ours. Of the notes it has the table's own, and where all are.
    """
    for left_out in FORMS:
        lines = list(_lines(table, left_out))
        gap = " " if ALL_SPREAD in left_out else "  "
        longest = max(len(label) for label, *_ in lines)
        room = longest + width - len(gap.join(padded(lines)[0]))
        if room >= min(longest, LEAST_LABEL):
            break
    labels = [textwrap.wrap(label, max(LEAST_LABEL, room)) or [""] for label, *_ in lines]
    whole = padded([[label[0], *line[1:]] for label, line in zip(labels, lines, strict=True)])
    shown = [*textwrap.wrap(table.title, width), ""]
    for cells, label in zip(whole, labels, strict=True):
        shown += [gap.join(cells).rstrip(), *(f"  {rest}" for rest in label[1:])]
    general = find_layout(table.layout).notes(table.folds)
    own = [note for note in table.notes[:1] if note != general]
    shown += ["", *(textwrap.shorten(note, width, placeholder=" …") for note in own)]
    shown += textwrap.wrap("; ".join(_legend(table, lines, left_out)), width)
    return "\n".join([*shown, f"{counted(len(table.notes), 'note')}: {notes}"])


def _lines(table: Table, left_out: Sequence[str]) -> Iterator[list[str]]:
    """Yield the header and the lines of a table that leaves some things out."""
    printed = grid(table)
    main = find_layout(table.layout).main_column
    columns = [column for column in printed.columns if column.name not in left_out]
    columns = [column for column in columns if column.group != "behind" or column.name in SHORT]
    if OTHERS in left_out:
        always = ("n", NAMES.get(main, main), DIFFERENCE)
        columns = [column for column in columns if column.name in always]
    bare = {column.name for column in columns if ALL_SPREAD in left_out or SPREAD in left_out}
    if ALL_SPREAD not in left_out:
        bare.discard(NAMES.get(main, main))
    yield ["", *(SHORT.get(column.name, column.name) for column in columns)]
    for number, (label, row) in enumerate(zip(printed.labels, table.rows, strict=True)):
        places = {column.name: column.places[number] for column in columns}
        texts = {name: one.text if name in bare else one.whole for name, one in places.items()}
        yield [label, *(places[name].mark + text for name, text in texts.items())]
        published = [one.published for one in places.values()]
        if any(published):
            yield [STAND_IN if row.stand_in else "  paper", *published]


def _legend(table: Table, lines: list[list[str]], left_out: Sequence[str]) -> Iterator[str]:
    """Yield what the signs mean that the lines have, and what the lines leave out."""
    cells = "".join(cell for line in lines for cell in line[1:])
    yield "mean ± sd of n seeds" if "±" in cells else "means of n seeds"
    if any(line[0] == STAND_IN for line in lines):
        yield f"{STAND_IN.strip()}: other models or data"
    signs = {"*": "* p < .05", "_": "_ p < .1", EQUAL: f"{EQUAL} within ±{table.margin:g}"}
    yield from (text for sign, text in signs.items() if sign in cells)
    has = {column.name for column in grid(table).columns}
    has |= {ALL_SPREAD, *((SPREAD, OTHERS) if len(table.columns) > 1 else ())}
    if words := [SHORT.get(what, what) for what in left_out if what in has]:
        yield f"left out: {', '.join(words)}"


def markdown_line(cells: Iterable[str]) -> str:
    """Return one line of a Markdown table that need not be aligned, its cells escaped."""
    return f"| {' | '.join(map(escape_markdown, cells))} |"


def escape_markdown(text: str) -> str:
    """Return text in which no character means anything to Markdown, with as few signs as can be."""
    escaped = SIGNS.sub(lambda sign: f"\\{sign[0]}", text)
    if LINK.search(text):
        escaped = re.sub(r"(?<!\\)\[", r"\\[", escaped)
    return escaped
