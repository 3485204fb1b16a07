"""The score on the dev set during the training of a model."""

from collections.abc import Iterator
from pathlib import Path

from semblance.figures import Row
from semblance.reporting.steps import step_rows

COLUMNS = ("step", "dev")


def rows(path: Path) -> Iterator[Row]:
    """Yield one row for each step at which the model was scored; ``dev`` is Spearman's ρ or MAP.

    Raises InputError, with the line, for one that is not such a row.
    """
    yield from step_rows(path, COLUMNS[1:])
