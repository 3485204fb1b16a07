"""What figures print: labels that a drawing can hold, and the numbers of a CSV."""

import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

Names = Mapping[tuple[str, str, str], str]
Rows = list[dict[str, Any]]
MOST = 48  # characters of a label
THIN_SPACE = "\u2009"


def clean(text: Any, most: int = MOST) -> str:
    """Return a text as one short line without characters that control how others are shown."""
    words = " ".join(str(text)[: 20 * most].split())
    shown = "".join(c for c in words if not unicodedata.category(c).startswith("C"))
    if len(shown) <= most:
        return shown
    return shown[: most - 1].rstrip() + "…"


def value(row: Mapping[str, Any], column: str) -> float | None:
    """Return a number of a row; None for an empty field."""
    text = row[column]
    if text is None or text == "":
        return None
    return float(text)


def values(row: Mapping[str, Any], *columns: str) -> list[float]:
    """Return the numbers of a row; an empty list if one of them is missing."""
    column_values = [value(row, column) for column in columns]
    if None in column_values:
        return []
    return column_values


def numbers(rows: Iterable[Mapping[str, Any]], column: str) -> list[float]:
    """Return the numbers that some rows have in a column."""
    return [number for row in rows if (number := value(row, column)) is not None]


def grouped(rows: Iterable[dict[str, Any]], *columns: str) -> dict[tuple, Rows]:
    """Return the rows by their texts in some columns, in the order of the first of each."""
    groups: dict[tuple, Rows] = {}
    for row in rows:
        groups.setdefault(tuple(row[column] for column in columns), []).append(row)
    return groups


def by_label(rows: Iterable[dict[str, Any]], names: Names, most: int = MOST) -> dict[str, Rows]:
    """Return the rows by the label of their model, in the order of the first of each.

    A model without a label goes by its names. Two labels that are the same after they were cut
    are distinguished by a number.
    """
    whole: dict[str, Rows] = {}
    for row in rows:
        model = (row["corpus"], row["base"], row["method"])
        label = names.get(model) or " · ".join(reversed(model))
        whole.setdefault(label, []).append(row)
    groups: dict[str, Rows] = {}
    for place, (label, of_model) in enumerate(whole.items(), start=1):
        shown = clean(label, most)
        if shown in groups or not shown:
            shown = f"{shown} ({place})"
        if shown.startswith("_"):
            shown = f"{THIN_SPACE}{shown}"  # matplotlib would leave it out of the legend
        groups[shown] = of_model
    return groups
