"""The STS average of a model beside the φ and the form of its entropy loss (RCL, Table 5)."""

from collections.abc import Iterator
from pathlib import Path

from semblance.figures import Row
from semblance.reporting.scores import whole_scores

COLUMNS = ("form", "phi", "average")


def rows(path: Path) -> Iterator[Row]:
    """Yield one row from the score file of a model.

    ``form``: the kind of the entropy model; ``phi``: its φ. Both are empty for other models.
    The settings of the method give them, not the file. ``average``: the mean Spearman's ρ of the
    seven STS tasks, in [-1, 1].
    """
    yield {"average": whole_scores(path)["average", "spearman"]}
