"""Alignment and uniformity of a model beside its STS average (SimCSE, Figure 3)."""

from collections.abc import Iterator
from pathlib import Path

from semblance.figures import Row
from semblance.reporting.scores import whole_scores

COLUMNS = ("alignment", "uniformity", "average")


def rows(path: Path) -> Iterator[Row]:
    """Yield one row from the score file of a model.

    ``average``: the mean Spearman's ρ of the seven STS tasks, in [-1, 1]. A value is None if its
    score, or for the average one of the seven, is missing.
    """
    scores = whole_scores(path)
    yield {
        "alignment": scores.get(("stsb", "alignment")),
        "uniformity": scores.get(("stsb", "uniformity")),
        "average": scores["average", "spearman"],
    }
