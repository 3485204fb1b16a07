"""Alignment and uniformity of a model during its training (SimCSE, Figure 2)."""

from collections.abc import Iterator
from pathlib import Path

from semblance.figures import Row
from semblance.reporting.steps import step_rows

COLUMNS = ("step", "alignment", "uniformity")


def rows(path: Path) -> Iterator[Row]:
    """Yield one row for each measured step, from the curve that ``train_curve`` wrote.

    Raises InputError, with the line, for one that is not such a row.
    """
    yield from step_rows(path, COLUMNS[1:])
