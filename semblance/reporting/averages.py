"""The scores of a model over all pairs of a task, and their average over the seven STS tasks."""

from pathlib import Path

from semblance.names import STS_TASKS
from semblance.reporting.layouts import mean
from semblance.reporting.scores import read_scores


def whole_scores(path: Path) -> dict[tuple[str, str], float]:
    """Return {(task, metric): score} over all pairs of a task, from the score file of a model."""
    found = read_scores(path)
    whole = found[found["aggregation"] == "all"]
    return {(row.task, row.metric): row.value for row in whole.itertuples()}


def sts_average(scores: dict[tuple[str, str], float]) -> float | None:
    """Return the mean Spearman's ρ of the seven STS tasks, in [-1, 1]; None if one is missing."""
    return mean(scores.get((task, "spearman")) for task in STS_TASKS)
