"""The STS average of a model beside the number of regulators of its method (RCL, Table 4)."""

from collections.abc import Iterator
from pathlib import Path

from semblance.figures import Row
from semblance.reporting.scores import whole_scores

COLUMNS = ("regulators", "average")


def rows(path: Path) -> Iterator[Row]:
    """Yield one row from the score file of a model.

    ``regulators``: their number; empty for a model that was not trained.
    The settings of the method give them, not the file. ``average``: the mean Spearman's ρ of the
    seven STS tasks, in [-1, 1].
    """
    yield {"average": whole_scores(path)["average", "spearman"]}
