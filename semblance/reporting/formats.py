"""A table as CSV (unrounded, for programs) and as Markdown (rounded once, for people)."""

import csv
import io
import re
from collections.abc import Iterable

from semblance.reporting.grids import MISSING, Text, grid
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
    "margin",
)
# Behind a column's mean in the CSV: the end of the field's name, and the attribute of the cell.
OF_SPREAD = {
    "_sd": "sd",
    "_worst": "worst",
    "_best": "best",
    "_published": "published",
    "_difference": "difference",
}
OF_BEST_SEEDS = {"_population_sd": "population_sd"}
OF_CONTRAST = {  # as above, and the attribute of the cell's contrast
    "_control_difference": "difference",
    "_control_low": "low",
    "_control_high": "high",
    "_p": "p",
    "_p_holm": "p_holm",
    "_p_exact": "p_exact",
    "_p_equivalence": "p_equivalence",
    "_detectable": "detectable",
    "_p_bootstrap": "p_bootstrap",
    "_bootstrap_low": "bootstrap_low",
    "_bootstrap_high": "bootstrap_high",
    "_item_error": "item_error",
}
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
    """Return one line a row, values in points by ``repr``: nothing is rounded.

    After ``LEADING``, each column ``c`` gives ``c`` and what stands in ``OF_SPREAD``, in
    ``OF_BEST_SEEDS`` if its seeds are chosen, in ``OF_CONTRAST`` if it is tested; a seed's own
    column gives only ``c``. ``n/a``: missing; empty: does not apply.
    """
    layout = find_layout(table.layout)
    lines = [_leading(table, row) for row in table.rows]
    header = list(LEADING)
    for column in table.columns:
        header += [column + end for end in _csv_ends(layout, column)]
        for line, row in zip(lines, table.rows, strict=True):
            line += _csv_values(layout, column, row.cells.get(column))
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows([header, *lines])
    return buffer.getvalue()


def _csv_ends(layout: Layout, column: str) -> list[str]:
    """Return what the names of a column's fields end with."""
    return ["", *_of_cell(layout, column), *_of_contrast(layout, column)]


def _of_cell(layout: Layout, column: str) -> dict[str, str]:
    if layout.is_of_one_seed(column):
        return {}
    if layout.is_of_best_seeds(column):
        return OF_SPREAD | OF_BEST_SEEDS
    return OF_SPREAD


def _of_contrast(layout: Layout, column: str) -> dict[str, str]:
    if layout.has_test(column):
        return OF_CONTRAST
    return {}


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
        table.margin,
    ]


def _csv_values(layout: Layout, column: str, cell: Cell | None) -> list[str]:
    """Return the fields of one cell, in the order of ``_csv_ends``."""
    if cell is None:
        return [""] * len(_csv_ends(layout, column))
    mean = MISSING if cell.mean is None else cell.mean
    values = [mean, *(getattr(cell, name) for name in _of_cell(layout, column).values())]
    for name in _of_contrast(layout, column).values():
        values.append(getattr(cell.contrast, name, None))
    # str(float) is repr(float)
    return ["" if value is None else str(value) for value in values]


def markdown(table: Table) -> str:
    """Return a heading, a table that is aligned on a terminal, too, and the notes as a list."""
    printed = grid(table)
    lines = [
        f"## {escape_markdown(table.title)}",
        "",
        *_aligned([_escaped(line) for line in (printed.header, *printed.lines)]),
        "",
        *(f"- {escape_markdown(note)}" for note in table.notes),
    ]
    return "\n".join(lines) + "\n"


def _aligned(lines: list[list[str]]) -> list[str]:
    """Return the lines of a table, labels to the left and numbers to the right of their columns."""
    widths = [max(3, *map(len, column)) for column in zip(*lines, strict=True)]
    rules = ["-" * widths[0], *(f"{'-' * (width - 1)}:" for width in widths[1:])]
    padded = [_padded(line, widths) for line in lines]
    return [f"| {' | '.join(line)} |" for line in (padded[0], rules, *padded[1:])]


def _padded(line: list[str], widths: list[int]) -> list[str]:
    places = zip(line[1:], widths[1:], strict=True)
    return [line[0].ljust(widths[0]), *(text.rjust(width) for text, width in places)]


def _escaped(line: Iterable[Text]) -> list[str]:
    """Return the text of a line's places. A mark stands before a number, where it is literal."""
    return [text.mark + escape_markdown(text.plain) for text in line]


def escape_markdown(text: str) -> str:
    """Return text in which no character means anything to Markdown, with as few signs as can be."""
    escaped = SIGNS.sub(lambda sign: f"\\{sign[0]}", text)
    if LINK.search(text):
        escaped = re.sub(r"(?<!\\)\[", r"\\[", escaped)
    return escaped
