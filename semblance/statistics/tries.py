"""Is one of many tried losses better than their control? One error budget for all of them.

The evidence for a try is an e-value: if the loss is no better, its mean is at most 1, after any
number of seeds. e-LOND (Xu and Ramdas 2024) keeps a try of the level ALPHA share(place) (1 + number
kept before) if its evidence reaches 1 / level. Of the kept tries at most ALPHA are then false, on
average, although all share the seeds of one control. docs/statistics.md has the proof.
"""

import bisect
import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import optimize, special

from semblance.statistics.significance import ALPHA, SPREADLESS

Word = Literal["KEEP", "DISCARD", "OPEN"]
EFFECT = 10.0  # variance of mean / sd in the prior: any is valid, this one finds most in 7 seeds
FIRST = 10  # tries that share half of the budget
MOST_SEEDS = 30  # of one try


@dataclass(frozen=True)
class Judged:
    """What the seeds of a try show, in points; the interval holds at 95 %, after each seed."""

    word: Word
    difference: float  # above 0: better than the control
    low: float  # it errs with the level of the try; -inf of few seeds
    high: float  # it errs with the rest of the 5 %; inf of few seeds
    evidence: float  # e-value against "no better than the control"
    needed: float  # evidence that keeps the try: 1 / its level
    spent: float  # share of the budget that is gone after this try
    more: int | None  # seeds that decide it, if like those so far; None: not known or too many


def judge(tries: Sequence[np.ndarray], margin: float) -> list[Judged]:
    """Judge all tries of one control, in the order in which each was first looked at.

    An array (n_seeds,) holds the differences of a try: its score less the control's of that seed.
    KEEP: the interval lies above 0. DISCARD: it lies below the margin. No try moves one before it.
    """
    judged, kept = [], 0
    for place, differences in enumerate(tries, 1):
        judged.append(judge_one(np.asarray(differences, float), margin, place, kept))
        kept += judged[-1].word == "KEEP"
    return judged


def judge_one(differences: np.ndarray, margin: float, place: int, kept: int = 0) -> Judged:
    """Judge the try of a place, counted from 1, before which some were kept."""
    if not differences.size or not np.isfinite(differences).all():
        raise ValueError(f"try {place}: differences that are no numbers, or none at all")
    level = ALPHA * share(place) * (1 + kept)
    n, mean = len(differences), float(differences.mean())
    sd = max(float(differences.std()), SPREADLESS)  # what rounding leaves is no gain

    def ends(n: int) -> tuple[float, float]:
        """Return the interval if n seeds had this mean and spread."""
        return mean - sd * reach(n, 1 / level), mean + sd * reach(n, 1 / (ALPHA - level))

    def word(n: int) -> Word:
        """Return what that interval decides."""
        low, high = ends(n)
        return "KEEP" if low > 0 else "DISCARD" if high < margin else "OPEN"

    most = max(0, MOST_SEEDS - n) if n > 1 else 0  # one seed has no spread
    more = bisect.bisect_left(range(most + 1), True, key=lambda k: word(n + k) != "OPEN")
    budget = 1 / level, spent(place), more if more <= most else None
    return Judged(word(n), mean, *ends(n), e_value(n, mean / math.hypot(mean, sd)), *budget)


def share(place: int) -> float:
    """Return a try's share of the budget: FIRST have a half, the next 2 FIRST a quarter, and so on."""
    block = math.ceil(place / FIRST).bit_length() - 1
    return 1 / (2 * FIRST * 4**block)


@functools.cache
def spent(tries: int) -> float:
    """Return the share of the budget of so many tries together."""
    return sum(map(share, range(1, tries + 1)))


def e_value(n: int, cosine: float) -> float:
    """Return the e-value of n differences against "their mean is 0 or less".

    It is the Bayes factor of the one-sided t-test with the right Haar prior of the scale and the
    half-normal prior of the effect. It rises with ``cosine``, of the angle between the differences
    and (1, ..., 1): their mean over their root mean square. With k = n EFFECT / (1 + n EFFECT) and
    T of Student's t, 2 √(1 - k) (1 - k cosine²)^(-n/2) T_n(√(k n) cosine / √(1 - k cosine²)).
    """
    shrunk = n * EFFECT / (1 + n * EFFECT)
    left = 1 - shrunk * cosine**2
    side = special.stdtr(n, math.sqrt(shrunk * n / left) * cosine)
    return float(2 * math.sqrt(1 - shrunk) * left ** (-n / 2) * side)


@functools.cache
def reach(n: int, needed: float) -> float:
    """Return how many sds below their mean n differences have an e-value of ``needed``; or inf."""
    if e_value(n, 1.0) <= needed:
        return math.inf
    cosine = optimize.brentq(lambda cosine: e_value(n, cosine) - needed, 0, 1)
    return cosine / math.sqrt(1 - cosine**2)
