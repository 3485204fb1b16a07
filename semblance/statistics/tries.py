"""Is one of many tried losses better than their control? One error budget for all of them.

The evidence for a try is an e-value: where the loss is no better, its mean is at most 1, after any
number of seeds. Tries come one after the other, and e-LOND (Xu and Ramdas 2024) says how much each
needs: the level of try t is ALPHA share(t) (1 + number of tries kept before it). Of the kept tries at
most ALPHA are then false, on average; if nothing is better, nothing is kept with 1 - ALPHA. Tries
need not be independent: all may share the seeds of one control. docs/statistics.md has the proof.
"""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import optimize, special

from semblance.statistics.significance import ALPHA, SPREADLESS

Word = Literal["KEEP", "DISCARD", "OPEN"]
# Variance of the effect (the mean over the sd of the seeds) in the prior of the e-value, which is
# valid with any: of 5 to 7 seeds, 10 has the most power at the spreads of the kept runs.
EFFECT = 10.0
HALF_SPENT = 20  # the tries after which half of the budget is gone
MOST_SEEDS = 30  # of one try


@dataclass(frozen=True)
class Judged:
    """What the seeds of a try show; differences in points, above 0 where the try is better.

    [low, high] is a 95 % interval that may be looked at after each seed; its ends are infinite of
    few seeds. ``low`` errs as rarely as the level of the try says, ``high`` with the rest of ALPHA.
    """

    word: Word
    difference: float
    low: float
    high: float
    evidence: float  # e-value against "no better than the control"
    needed: float  # evidence that keeps the try: 1 / its level
    spent: float  # share of the budget that is gone after this try
    more: int | None  # seeds that decide it, if like those so far; None: not known or too many


def judge(tries: Sequence[np.ndarray], margin: float) -> list[Judged]:
    """Judge all tries of one control, in the order in which each was first looked at.

    An array (n_seeds,) holds the differences of a try: its score less the control's of that seed.
    KEEP: the interval lies above 0. DISCARD: it lies below the margin. Further seeds of a try may
    change its word, and a further try spends more of the budget but moves no word before it.
    """
    judged: list[Judged] = []
    for differences in tries:
        kept = sum(each.word == "KEEP" for each in judged)
        judged.append(_judge(np.asarray(differences, float), margin, len(judged) + 1, kept))
    return judged


def _judge(differences: np.ndarray, margin: float, place: int, kept: int) -> Judged:
    if not differences.size or not np.isfinite(differences).all():
        raise ValueError(f"try {place}: differences that are no numbers, or none at all")
    level = ALPHA * share(place) * (1 + kept)
    n, mean = len(differences), float(differences.mean())
    sd = max(float(differences.std()), SPREADLESS)  # what rounding leaves is no gain

    def ends(n: int) -> tuple[float, float]:
        return mean - sd * reach(n, 1 / level), mean + sd * reach(n, 1 / (ALPHA - level))

    def word(n: int) -> Word:
        low, high = ends(n)
        return "KEEP" if low > 0 else "DISCARD" if high < margin else "OPEN"

    most = max(0, MOST_SEEDS - n) if n > 1 else 0  # one seed has no spread
    more = next((k for k in range(most + 1) if word(n + k) != "OPEN"), None)
    evidence = e_value(n, mean / math.hypot(mean, sd))
    return Judged(word(n), mean, *ends(n), evidence, 1 / level, place / (place + HALF_SPENT), more)


def share(place: int) -> float:
    """Return the share of the budget of a try by its place, from 1; all shares sum to 1."""
    return HALF_SPENT / ((place + HALF_SPENT - 1) * (place + HALF_SPENT))


def e_value(n: int, cosine: float) -> float:
    """Return the e-value of n differences against "their mean is 0 or less".

    It is the Bayes factor of the one-sided t-test with the right Haar prior of the scale and the
    half-normal prior of the effect. ``cosine``: of the angle between the differences and (1, ..., 1),
    the mean over the root of the mean square; it alone matters, and a larger mean makes it larger.
    With k = n EFFECT / (1 + n EFFECT) and T the distribution of Student's t of n degrees, it is
    2 √(1 - k) (1 - k cosine²)^(-n/2) T(√(k n) cosine / √(1 - k cosine²)).
    """
    shrunk = n * EFFECT / (1 + n * EFFECT)
    left = 1 - shrunk * cosine**2
    side = special.stdtr(n, math.sqrt(shrunk * n / left) * cosine)
    return float(2 * math.sqrt(1 - shrunk) * left ** (-n / 2) * side)


@functools.cache
def reach(n: int, needed: float) -> float:
    """Return how far below the mean of n differences, in their sd, the means lie that are refused.

    The e-value against such a mean is at least ``needed``. inf: none of n seeds is so large.
    """
    if e_value(n, 1.0) <= needed:
        return math.inf
    cosine = optimize.brentq(lambda cosine: e_value(n, cosine) - needed, 0, 1)
    return cosine / math.sqrt(1 - cosine**2)
