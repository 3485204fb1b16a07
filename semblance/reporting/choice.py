"""The choice of a method by its dev scores, in which no test score takes part."""

from collections.abc import Callable, Iterable

from semblance.reporting.layouts import mean

DevScores = Callable[[str], list[float | None]]  # of a method: one score for each seed


def best_on_dev(candidates: Iterable[str], dev_scores: DevScores) -> str | None:
    """Return the candidate with the highest mean dev score over the seeds, the first of equals.

    None where a candidate lacks a score: the missing one might have been the best.
    """
    means = {name: mean(dev_scores(name)) for name in candidates}
    if None in means.values():
        return None
    return max(means, key=means.__getitem__)
