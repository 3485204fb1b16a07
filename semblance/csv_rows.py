"""Rows of names and values as CSV."""

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any


def rows_csv(columns: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Return the CSV of some rows, the columns in this order.

    No float is rounded: reading gives it again. A field is empty where a row lacks the column or
    holds None.
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
