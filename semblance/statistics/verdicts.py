"""What a measured difference says about a claimed one. docs/statistics.md defines each verdict.

A difference counts in the direction of the claim: above 0 is what the paper says.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy import stats

from semblance.statistics.significance import (
    FEWEST_TO_EQUAL,
    LEVEL,
    MOST_SEEDS,
    Estimate,
    quantile,
    seeds_to_equal,
    seeds_to_show,
)

Family = Literal["reproduced", "partly", "no", "open"]
UNDECIDED, OPEN, BELOW = "undecided", "open", "below no training"
CANNOT, NOT_RUN = "cannot be asked here", "not run"
# Each verdict and its family, from the worst for a claim to the best; the last two are of none.
FAMILIES: dict[str, Family] = {
    "contradicted": "no",
    "the other way": "no",
    "no": "no",
    "a little the other way": "no",
    "no difference": "no",
    "equal": "no",
    BELOW: "open",
    UNDECIDED: "open",
    OPEN: "open",
    "far smaller than claimed": "partly",
    "smaller than claimed": "partly",
    "larger than claimed": "reproduced",
    "reproduced": "reproduced",
    "yes": "reproduced",
    CANNOT: "open",
    NOT_RUN: "open",
}
FROM_WORST = tuple(FAMILIES)[:-2]  # where several comparisons must hold
# Those that an interval within ±margin gives.
WITHIN = ("far smaller than claimed", "no difference", "equal", "a little the other way")
# The words of those who list results as checked or not, whatever their sizes.
OTHERS_SAY: dict[Family, str] = {
    "reproduced": "verified",
    "partly": "inconclusive",
    "no": "falsified",
    "open": "inconclusive",
}
TOY = "toy"  # of others: decided, but on other data or models than the paper's
FEWEST_TO_PLAN = 6  # seeds: below it the sd is too vague to say how many would decide
FEWEST_OF_SIGNS = 6  # seeds: with five, the exact p of sign flips cannot go below .0625
FAR = 5  # median absolute deviations of the other seeds from their median


@dataclass(frozen=True)
class Among:
    """A comparison among ``of`` that are judged together: the claim is that ``holds`` of them hold.

    To show that, each test's level is divided by of - holds + 1: not at all where all must hold. To
    deny it, of - holds + 1 must fail, so that the level is divided by ``holds``. Source: the partial
    conjunction of Benjamini and Heller 2008, with Bonferroni's correction. ``readings``: of a claim
    that is judged under so many; both levels are divided by it, so that all intervals hold together.
    """

    holds: int = 1
    of: int = 1
    readings: int = 1

    def interval(self, found: Estimate) -> tuple[float, float]:
        """Return the end that shows the claim and the end that denies it, each at its own level."""
        outside = (1 - LEVEL) / self.readings
        low, _ = found.interval(1 - outside / (self.of - self.holds + 1))
        _, high = found.interval(1 - outside / self.holds)
        return float(low), float(high)

    def is_within(self, found: Estimate, margin: float) -> bool:
        """Tell whether the interval, of enough seeds, lies within ±margin."""
        low, high = self.interval(found)
        return found.seeds >= FEWEST_TO_EQUAL and -margin < low and high < margin


ALONE = Among()


def of_difference(found: Estimate, size: float | None, margin: float, among: Among = ALONE) -> str:
    """Return the verdict on the claim of a difference of ``size`` (None: of any size above 0).

    The interval decides. Above 0: ``far smaller than claimed`` within ±margin, ``smaller than
    claimed`` if it ends below the size, ``larger than claimed`` if it begins beyond size + margin,
    else ``reproduced``. Below 0: ``a little the other way`` within ±margin, ``contradicted`` beyond
    it, else ``the other way``. With 0 in it: ``no difference`` within ±margin, else ``undecided``.
    """
    low, high = among.interval(found)
    is_within = among.is_within(found, margin)
    # Before all others: no word speaks of a sign that the interval leaves open.
    if low <= 0 <= high:
        return "no difference" if is_within else UNDECIDED
    # Below 0 but not beyond the margin the sign is shown, and not that it counts.
    if high < -margin:
        return "contradicted"
    if high < 0:
        return "a little the other way" if is_within else "the other way"
    # Before the size: a gain within the margin is none that counts, whatever was claimed.
    if is_within:
        return "far smaller than claimed"
    if size is not None and high < size:
        return "smaller than claimed"
    # Within a margin above the claimed size a difference is still the claimed one.
    if size is not None and low > size + margin:
        return "larger than claimed"
    return "reproduced"


def of_no_difference(found: Estimate, margin: float, among: Among = ALONE) -> str:
    """Return the verdict on the claim that two methods are equal.

    ``reproduced``: the interval lies within ±margin. ``contradicted``: it lies beyond the margin on
    one side. Else ``undecided``.
    """
    if among.is_within(found, margin):
        return "reproduced"
    low, high = among.interval(found)
    if low > margin or high < -margin:
        return "contradicted"
    return UNDECIDED


def of_no_gain(found: Estimate, margin: float, among: Among = ALONE) -> str:
    """Return the verdict on the claim that one method is no better than another.

    ``reproduced``: the interval ends below the margin. ``contradicted``: it lies above the margin.
    Else ``undecided``.
    """
    low, high = among.interval(found)
    if high < margin:
        return "reproduced"
    if low > margin:
        return "contradicted"
    return UNDECIDED


def of_question(found: Estimate, margin: float, among: Among = ALONE) -> str:
    """Return the answer to a question of ours, "is it better?": nobody claimed anything.

    An interval without 0 answers it, however small the difference is.
    """
    low, high = among.interval(found)
    if low > 0:
        return "yes"
    if high < 0:
        return "no"
    return "equal" if among.is_within(found, margin) else OPEN


def margin_of(size: float | None, margin: float) -> float:
    """Return the margin of a claim: at most half of the claimed size, so that it excludes it."""
    if size is None:
        return margin
    return min(margin, size / 2)


def seeds_to_decide(sd: float, n: int, size: float | None, margin: float) -> str:
    """Return about how many seeds would decide a claim that ``n`` seeds leave undecided.

    So many that a difference of the claimed size (None: of the margin) is shown, and that none is
    shown to be within the margin, each in 80 % of the runs; at least one more than there are.
    ``sd``: of the differences of the seeds, which stands for all within its chi-square interval:
    from one end of it to the other, each rounded outwards to one digit.
    """
    counts = []
    for share, outwards in (((1 + LEVEL) / 2, math.floor), ((1 - LEVEL) / 2, math.ceil)):
        end = sd * math.sqrt((n - 1) / stats.chi2.ppf(share, n - 1))
        to_show = seeds_to_show(margin if size is None else size, end)
        to_equal = seeds_to_equal(margin, end)
        if to_show is None or to_equal is None:
            counts.append(f"more than {MOST_SEEDS:,}")
            continue
        number = max(to_show, to_equal, n + 1)
        unit = 10 ** (len(str(number)) - 1)
        counts.append(f"{max(n + 1, outwards(number / unit) * unit):,}")
    return " to ".join(dict.fromkeys(counts))


def by_exact_test(found: Estimate, n: int, p_exact: float) -> Estimate | None:
    """Return what to judge by where one of ``n`` seeds is far from the others: the exact test.

    Its interval is the one of Student's t that holds 0 just where the exact p is above .05
    (Miettinen 1976). None: the seeds are too few for the exact test to show anything.
    """
    if n < FEWEST_OF_SIGNS:
        return None
    reach = quantile(1 - p_exact / 2, found.freedom)
    return replace(found, error=abs(found.value) / reach if reach > 0 else math.inf)


def far_seeds(by_seed: Mapping[str, float], margin: float) -> tuple[str, ...]:
    """Return the seeds whose values lie far from the others."""
    far = far_values(np.array(list(by_seed.values())), margin)
    return tuple(seed for seed, is_far in zip(by_seed, far, strict=True) if is_far)


def far_values(values: np.ndarray, margin: float | np.ndarray) -> np.ndarray:
    """Tell of values (..., n) which lie further than the margin and FAR deviations from the others.

    A deviation is the median absolute one of the other seeds: a single failed seed, which makes
    the sd large, does not hide itself. Of four other seeds it is so vague that without the margin
    half of all sound experiments with five seeds would have such a seed. None below three seeds: one
    other seed has no spread to be far by. ``margin``: (..., 1), or one of all.
    """
    n = values.shape[-1]
    far = np.zeros(values.shape, bool)
    for i in range(n if n > 2 else 0):
        others = np.delete(values, i, axis=-1)
        middle = np.median(others, axis=-1, keepdims=True)
        deviation = np.median(np.abs(others - middle), axis=-1, keepdims=True)
        distance = np.abs(values[..., i : i + 1] - middle)
        far[..., i : i + 1] = distance > np.maximum(margin, FAR * deviation)
    return far
