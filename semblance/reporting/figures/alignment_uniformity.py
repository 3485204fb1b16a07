"""Alignment and uniformity of a model beside its STS average (SimCSE, Figure 3)."""

from collections.abc import Iterator
from pathlib import Path

from semblance.figures import Row
from semblance.names import STS_TASKS
from semblance.reporting.layouts import mean
from semblance.reporting.scores import read_scores

COLUMNS = ("alignment", "uniformity", "average")


def rows(path: Path) -> Iterator[Row]:
    """Yield one row from the score file of a model.

    ``average``: the mean Spearman's ρ of the seven STS tasks, in [-1, 1]. A value is None if its
    score, or for the average one of the seven, is missing.
    """
    found = read_scores(path)
    whole = found[found["aggregation"] == "all"]
    scores = {(row.task, row.metric): row.value for row in whole.itertuples()}
    yield {
        "alignment": scores.get(("stsb", "alignment")),
        "uniformity": scores.get(("stsb", "uniformity")),
        "average": mean(scores.get((task, "spearman")) for task in STS_TASKS),
    }
