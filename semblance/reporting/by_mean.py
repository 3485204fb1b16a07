"""A claim's sum once more, by the mean of each task's subsets in place of one correlation over all.

One correlation over the pairs of several subsets also moves when the scores of one subset shift
against those of another. No paper prints a size by the mean: the claim's own stands beside it.
"""

import math
from dataclasses import replace

from semblance.reporting.contrasts import NO_VALUES, Parts, weighted_sum
from semblance.reporting.judgement import ByMean, Judgement
from semblance.reporting.table import BETWEEN, BY_MEAN, Cell, Row

OPEN_BY_MEAN = "open by mean"


def by_mean(parts: Parts, judged: Judgement) -> ByMean | None:
    """Return a claim's sum on an STS average by the mean; None where the rows have no such values."""
    parts = [(weight, _split(row, judged.column)) for weight, row in parts]
    means, beyond = [weighted_sum(parts, name) for name in (BY_MEAN, BETWEEN)]
    if means is None:
        return None
    over_all, over_means, between = (one.found for one in (judged.total, means, beyond))
    if over_all is None or over_means is None:
        return ByMean(means.value, word=OPEN_BY_MEAN if over_all else "")
    low, high = judged.among.interval(over_means)
    below = judged.claim.expects == "difference" and over_all.value < 0
    shown = _shown(judged, *judged.among.interval(over_all))
    mean_shows = _shown(judged, low, high)
    holds = mean_shows == shown or (mean_shows < 0 if below else mean_shows > shown >= 0)
    differs = between is not None and abs(between.value) > between.reach()
    word = "" if holds else OPEN_BY_MEAN
    if differs and not (holds and judged.claim.expects != "difference"):
        word = BETWEEN
    return ByMean(float(over_means.value), low, high, word)


def _split(row: Row, column: str) -> Row:
    """Return a row with what its average is by the mean of subsets, and what it is beyond that."""
    known = row.cells.get(column, NO_VALUES).known
    by_mean = {seed: value for seed, value in row.by_mean.items() if seed in known}
    between = {seed: known[seed] - value for seed, value in by_mean.items()}
    return replace(row, cells=row.cells | {BY_MEAN: Cell(by_mean), BETWEEN: Cell(between)})


def _shown(judged: Judgement, low: float, high: float) -> int:
    """Return what an interval shows: its sign or 0, or of a claim of no difference 1 if it holds.

    It shows 2 where it lies above 0 and reaches the claimed size.
    """
    if judged.claim.expects == "difference":
        reaches = low > 0 and judged.size is not None and high >= judged.size
        return int(low > 0) + int(reaches) - int(high < 0)
    lowest = -judged.margin if judged.claim.expects == "none" else -math.inf
    return int(lowest < low and high < judged.margin)
