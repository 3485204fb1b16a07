"""What a measured difference says about a claimed one. docs/statistics.md defines each verdict.

A difference counts in the direction of the claim: above 0 is what the paper says.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from semblance.reporting.significance import (
    ALPHA,
    LEVEL,
    Estimate,
    seeds_to_equal,
    seeds_to_show,
)

Verdict = Literal[
    "reproduced",
    "larger than claimed",
    "smaller than claimed",
    "no difference",
    "contradicted",
    "undecided",
    "yes",
    "equal",
    "no",
    "open",
    "cannot be asked here",
    "not run",
]
UNDECIDED: Verdict = "undecided"
OPEN: Verdict = "open"
CANNOT: Verdict = "cannot be asked here"
NOT_RUN: Verdict = "not run"
# From the worst for a claim to the best, where several comparisons must hold.
FROM_WORST: tuple[Verdict, ...] = (
    "contradicted",
    "no",
    "no difference",
    "equal",
    "undecided",
    "open",
    "smaller than claimed",
    "larger than claimed",
    "reproduced",
    "yes",
)
FEWEST_TO_PLAN = 4  # seeds: below it the sd is too vague to say how many would decide
FAR = 5  # median absolute deviations of the other seeds from their median


@dataclass(frozen=True)
class Among:
    """A comparison among ``of`` that are judged together: the claim is that ``holds`` of them hold.

    To show that, each test's level is divided by of - holds + 1: not at all where all must hold. To
    deny it, of - holds + 1 must fail, so that the level is divided by ``holds``. Source: the partial
    conjunction of Benjamini and Heller 2008, with Bonferroni's correction.
    """

    holds: int = 1
    of: int = 1

    def interval(self, found: Estimate) -> tuple[float, float]:
        """Return the end that shows the claim and the end that denies it, each at its own level."""
        low = found.value - found.reach(1 - (1 - LEVEL) / (self.of - self.holds + 1))
        high = found.value + found.reach(1 - (1 - LEVEL) / self.holds)
        return float(low), float(high)


ALONE = Among()


def of_difference(
    found: Estimate, size: float | None, margin: float, among: Among = ALONE
) -> Verdict:
    """Return the verdict on the claim of a difference of ``size`` (None: of any size above 0).

    ``no difference``: two one-sided tests show a difference within ±margin, whatever its
    sign. Else the interval decides. Above 0: ``smaller than claimed`` if it ends below the size,
    ``larger than claimed`` if it begins beyond size + margin, else ``reproduced``. Below 0:
    ``contradicted``. Else ``undecided``.
    """
    if found.is_within(margin, ALPHA / among.holds):
        return "no difference"
    low, high = among.interval(found)
    if high < 0:
        return "contradicted"
    if low <= 0:
        return UNDECIDED
    if size is not None and high < size:
        return "smaller than claimed"
    if size is not None and low > size + margin:
        return "larger than claimed"
    return "reproduced"


def of_no_difference(found: Estimate, margin: float) -> Verdict:
    """Return the verdict on the claim that two methods are equal.

    ``reproduced``: two one-sided tests show a difference within ±margin. ``contradicted``: the
    interval lies beyond the margin on one side. Else ``undecided``.
    """
    if found.is_within(margin):
        return "reproduced"
    low, high = found.interval()
    if low > margin or high < -margin:
        return "contradicted"
    return UNDECIDED


def of_no_gain(found: Estimate, margin: float) -> Verdict:
    """Return the verdict on the claim that one method is no better than another.

    ``reproduced``: a one-sided test shows less than the margin. ``contradicted``: the interval lies
    above the margin. Else ``undecided``.
    """
    if found.value + found.reach(1 - 2 * ALPHA) < margin:
        return "reproduced"
    if found.interval()[0] > margin:
        return "contradicted"
    return UNDECIDED


def of_question(found: Estimate, margin: float, among: Among = ALONE) -> Verdict:
    """Return the answer to a question of ours, "is it better?": nobody claimed anything."""
    if found.is_within(margin, ALPHA / among.holds):
        return "equal"
    low, high = among.interval(found)
    if low > 0:
        return "yes"
    if high < 0:
        return "no"
    return OPEN


def margin_of(size: float | None, margin: float) -> float:
    """Return the margin of a claim: at most half of the claimed size, so that it excludes it."""
    if size is None:
        return margin
    return min(margin, size / 2)


def seeds_to_decide(sd: float, n: int, size: float | None, margin: float) -> int | None:
    """Return how many seeds would decide a claim that ``n`` seeds leave undecided.

    So many that a difference of the claimed size (None: of the margin) is shown, and that none is
    shown to be within the margin, each in 80 % of the runs; at least one more than there are.
    ``sd``: of the differences of the seeds. None: more than 10,000.
    """
    to_show = seeds_to_show(margin if size is None else size, sd)
    to_equal = seeds_to_equal(margin, sd)
    if to_show is None or to_equal is None:
        return None
    return max(to_show, to_equal, n + 1)


def far_seeds(by_seed: Mapping[str, float], margin: float) -> tuple[str, ...]:
    """Return the seeds that lie further than the margin and FAR deviations from the others.

    A deviation is the median absolute one of the other seeds: a single failed seed, which makes
    the sd large, does not hide itself. Of four other seeds it is so vague that without the margin
    half of all sound experiments with five seeds would have such a seed. None below three seeds.
    """
    found = []
    for seed, value in by_seed.items():
        others = np.array([other for name, other in by_seed.items() if name != seed])
        if others.size < 2:
            continue
        distance = abs(value - np.median(others))
        deviation = np.median(np.abs(others - np.median(others)))
        if distance > max(margin, FAR * deviation):
            found.append(seed)
    return tuple(found)
