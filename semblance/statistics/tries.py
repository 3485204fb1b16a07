"""Is one of many tried losses better than their control? One error budget for all of them.

The evidence for a try is an e-value: if the loss is no better, its mean is at most 1, after any
number of seeds. e-LOND (Xu and Ramdas 2024) keeps a try of the level ALPHA share(place) (1 + number
kept before) if its evidence reaches 1 / level. Of the kept tries at most ALPHA are then false, on
average, although all share the seeds of one control. docs/statistics.md has the proof, the
assumptions and what each costs.
"""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy import optimize, special

from semblance.statistics.resampling import item_covariances
from semblance.statistics.significance import ALPHA, SPREADLESS
from semblance.statistics.verdicts import far_values

Word = Literal["KEEP", "SMALL", "DISCARD", "OPEN"]
LEAST, THIRD = 0.1, 1 / 3  # a gain that counts: points; of the spread of the control's seeds
VARIANCE = 10.0  # of the effect, mean / sd, where the sd is the try's own: any is valid
EFFECT = 1.5  # the same where the sd is borrowed: any is valid, this finds most in 5 to 10 seeds
BORROWED = 0.8  # weight of the evidence with a borrowed spread
ALIKE = 20.0  # degrees of freedom, at most, that the spreads of other trainings stand for
UNLIKE = 0.9  # quantile of F beyond which a try's own spread contradicts theirs
WIDE = 3.0  # sds of a difference within which no seed is far
MARGIN = 0.5  # points, within which none is either
FIRST = 10  # tries that share half of the budget
FEWEST, MOST_SEEDS = 4, 30  # that end a try; of one try
FURTHER = 5  # seeds of which an open try says what they can show


class Pool(NamedTuple):
    """What other trainings in the setting say of the spread of a score: a variance, and how surely."""

    variance: float = 1.0
    freedom: float = 0.0

    @classmethod
    def of(cls, trained: Sequence[np.ndarray]) -> "Pool":
        """Return what the scores (n,) of earlier tries say of the spread of the next one.

        Spreads are as alike as those of a chi-square of ALIKE degrees of freedom (Smyth 2004).
        """
        freedom = sum(len(scores) - 1 for scores in trained)
        if not freedom:
            return cls()
        squares = sum(float(((scores - scores.mean()) ** 2).sum()) for scores in trained)
        return cls(max(squares / freedom, SPREADLESS**2), 1 / (1 / freedom + 1 / ALIKE))


@dataclass(frozen=True)
class Judged:
    """What the seeds of a try show, in points."""

    word: Word
    difference: float  # above 0: better than the control
    low: float  # of seeds and pairs; it errs with the level of the try; -inf of few seeds
    high: float  # of seeds; it errs with ALPHA; inf of few seeds
    least: float  # gain that counts
    evidence: float  # e-value against "no better than the control"
    freedom: float  # degrees of freedom of the spread behind it
    needed: float  # evidence that keeps the try: 1 / its level
    spent: float  # share of the budget that is gone after this try
    items: float  # standard error that the pairs cause
    ends: int | None  # seeds that end it, those to come like those so far; None: too many
    shows: float  # mean that would be kept with FURTHER seeds like those so far; inf of one seed
    far: list[int]  # places of seeds that lie far from the others, from 0


@dataclass(frozen=True)
class Standing:
    """What a try is judged by beside its own seeds, fixed when it is first looked at."""

    place: int  # among the tries of the control, from 1
    kept: int = 0  # tries before it
    pool: Pool = Pool()

    @property
    def needed(self) -> float:
        """The evidence that keeps the try."""
        return 1 / (ALPHA * share(self.place) * (1 + self.kept))


def judge(
    ours: np.ndarray,
    theirs: np.ndarray,
    standing: Standing,
    drawn: np.ndarray | None = None,
    held: bool = True,
) -> Judged:
    """Judge the scores (n,) of a loss beside those of its control, seed by seed.

    ``drawn`` (draws, n): each seed's difference on resampled pairs, the same in all; None: the pairs
    are held fixed. The word is that of the first seeds that end the try, so that it does not
    depend on when one looks; if not ``held``, that of all seeds as they are.
    """
    ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
    n, pool = len(ours), standing.pool
    if not n or not np.isfinite([ours, theirs]).all():
        raise ValueError(f"try {standing.place}: scores that are no numbers, or none at all")
    errors = item_errors(drawn, n)
    # Further seeds like those so far: the same ones once more.
    further = [np.resize(scores, max(n, MOST_SEEDS)) for scores in (ours, theirs)]
    errors_then = np.append(errors, [errors[-1]] * (len(further[0]) - n))
    ended = words(*further, standing, errors_then, held)
    ends = np.flatnonzero((ended != "OPEN") & (held | (counts(ended) >= n)))
    difference = float((ours - theirs).mean())
    low, high = interval(ours, theirs, standing)
    later = [scores[: n + FURTHER] for scores in further]
    shows = np.mean(later[0] - later[1]) - interval(*later, standing)[0] if n > 1 else math.inf
    of_items = quantile(standing.needed) * errors[-1]
    return Judged(
        word=str(ended[n - 1]),
        difference=difference,
        low=difference - math.hypot(difference - low, of_items),
        high=high,
        least=float(least_gain(theirs)[-1]),
        evidence=float(evidence(ours, theirs, pool)[-1]),
        freedom=n - 1 if contradicts(ours, pool)[-1] else pool.freedom + 2 * (n - 1),
        needed=standing.needed,
        spent=spent(standing.place),
        items=float(errors[-1]),
        ends=int(ends[0]) + 1 if ends.size and n > 1 else None,
        shows=math.hypot(shows, of_items),
        far=np.flatnonzero(far_at(ours, theirs, pool, n)).tolist(),
    )


def words(
    ours: np.ndarray,
    theirs: np.ndarray,
    standing: Standing,
    errors: np.ndarray,
    held: bool = True,
) -> np.ndarray:
    """Return the word (..., n) after each seed of scores (..., n), the pairs' errors (..., n) known.

    The first word but OPEN is held: more seeds turn none. SMALL and DISCARD keep nothing, and err with
    ALPHA each.
    """
    pool, needed = standing.pool, standing.needed
    means = np.cumsum(ours - theirs, axis=-1) / counts(ours)
    least = least_gain(theirs)
    # The interval of seeds and pairs lies above 0 where that of the seeds lies above this.
    room = means**2 - (quantile(needed) * errors) ** 2
    bar = means - np.sqrt(np.maximum(room, 0))
    is_better = (means > 0) & (room > 0) & (evidence(ours, theirs, pool, bar) >= needed)
    counts_as_gain = evidence(ours, theirs, pool, least) >= 1 / ALPHA
    is_below = evidence(theirs, ours, pool, -least, tried=ours) >= 1 / ALPHA
    is_above_zero = evidence(ours, theirs, pool) >= 1 / ALPHA
    kinds = [is_better & counts_as_gain, is_below & is_above_zero, is_below]
    found = np.select(kinds, ["KEEP", "SMALL", "DISCARD"], "OPEN")
    found[has_far(ours, theirs, pool) | (counts(ours) < FEWEST)] = "OPEN"
    if not held:
        return found
    first = np.argmax(found != "OPEN", axis=-1)[..., None]
    later = np.arange(ours.shape[-1]) >= first
    return np.where(later, np.take_along_axis(found, first, axis=-1), "OPEN")


def evidence(
    ours: np.ndarray,
    theirs: np.ndarray,
    pool: Pool,
    bar: float | np.ndarray = 0.0,
    tried: np.ndarray | None = None,
) -> np.ndarray:
    """Return the e-values (..., n) of scores (..., n) against "the gain is ``bar`` or less".

    The mean of two: one with the spread of the try's own differences, one that borrows. ``tried``:
    the scores that may contradict the pool; None: ours.
    """
    n, gaps = counts(ours), ours - theirs
    means = np.cumsum(gaps, axis=-1) / n - bar
    alone = of_own_spread(n, means, squares(gaps))
    lent = pool.variance * pool.freedom
    # Of two independent sides: a difference has the variance of both.
    both = 2 * (lent + squares(ours) + squares(theirs))
    borrowing = of_borrowed_spread(n, pool.freedom + 2 * n - 1, means, both)
    against = contradicts(ours if tried is None else tried, pool)
    return (1 - BORROWED) * alone + BORROWED * np.where(against, 0, borrowing)


def contradicts(tried: np.ndarray, pool: Pool) -> np.ndarray:
    """Tell (..., n) whether the spread of the first 1 to n scores is beyond that of the pool."""
    n = counts(tried)
    # Of one seed, and without a pool, F is NaN: nothing is contradicted.
    limits = special.fdtri(n - 1.0, pool.freedom, UNLIKE)
    return squares(tried) / np.maximum(n - 1, 1) / pool.variance > limits


def of_own_spread(n: np.ndarray, means: np.ndarray, within: np.ndarray) -> np.ndarray:
    """Return the e-values of the paired t-test: n differences with these sums of squares.

    It is the Bayes factor with the right Haar prior of the scale and the half-normal prior of the
    effect. With c the mean over the root mean square, k = n VARIANCE / (1 + n VARIANCE) and T of
    Student's t, 2 √(1 - k) (1 - k c²)^(-n/2) T_n(√(k n) c / √(1 - k c²)).
    """
    cosines = cosine(n, means, within)
    shrunk = n * VARIANCE / (1 + n * VARIANCE)
    left = 1 - shrunk * cosines**2
    side = special.stdtr(n, np.sqrt(shrunk * n / left) * cosines)
    return 2 * np.sqrt(1 - shrunk) * left ** (-n / 2) * side


def of_borrowed_spread(
    n: np.ndarray, freedom: np.ndarray, means: np.ndarray, within: np.ndarray
) -> np.ndarray:
    """Return the e-values of a gain of EFFECT sds against none, the variance pooled.

    ``within``: sums of squares of freedom - 1 degrees. With z = EFFECT √n c it is the mean of
    e^(z √(2 g) - n EFFECT²/2) over g of the gamma law of the shape freedom / 2.
    """
    z = EFFECT * np.sqrt(n) * cosine(n, means, within)
    half = freedom / 2
    odd = np.exp(special.gammaln(half + 0.5) - special.gammaln(half)) * math.sqrt(2) * z
    even = special.hyp1f1(half, 0.5, z**2 / 2)
    mean = even + odd * special.hyp1f1(half + 0.5, 1.5, z**2 / 2)
    return np.exp(-n * EFFECT**2 / 2) * np.maximum(mean, 0)  # what rounding leaves of nothing


def cosine(n: np.ndarray, means: np.ndarray, within: np.ndarray) -> np.ndarray:
    """Return the cosine between differences and (1, ..., 1): what their sizes do not change."""
    all_squares = np.maximum(within, n * SPREADLESS**2) + n * means**2
    return np.sqrt(n / all_squares) * means


def interval(ours: np.ndarray, theirs: np.ndarray, standing: Standing) -> tuple[float, float]:
    """Return the gains below and above which the evidence against each is enough."""
    pool, gap = standing.pool, float(np.mean(ours - theirs))

    def end(sign: int, needed: float) -> float:
        """Return how far one end lies from the mean."""
        sides = (ours, theirs) if sign > 0 else (theirs, ours)

        def excess(reach: np.ndarray) -> np.ndarray:
            """Return how much too large the evidence against a gain so far off is."""
            bar = sign * gap - np.asarray(reach)[..., None]
            return evidence(*sides, pool, bar, tried=ours)[..., -1] - needed

        reaches = 10.0 ** np.arange(-12, 7)
        enough = np.flatnonzero(excess(reaches) > 0)
        if not enough.size:
            return math.inf
        if not enough[0]:
            return float(reaches[0])
        return optimize.brentq(excess, *reaches[enough[0] - 1 : enough[0] + 1])

    return gap - end(1, standing.needed), gap + end(-1, 1 / ALPHA)


def counts(scores: np.ndarray) -> np.ndarray:
    """Return 1 to n."""
    return np.arange(1, scores.shape[-1] + 1)


def squares(scores: np.ndarray) -> np.ndarray:
    """Return the sums of squares (..., n) of the first 1 to n scores about their mean."""
    scores = scores - scores[..., :1]  # for precision
    sums = np.cumsum(scores, axis=-1)
    return np.maximum(np.cumsum(scores**2, axis=-1) - sums**2 / counts(scores), 0)


def least_gain(theirs: np.ndarray) -> np.ndarray:
    """Return the gain (..., n) that counts, by the control's seeds so far."""
    sd = np.sqrt(squares(theirs) / np.maximum(counts(theirs) - 1, 1))
    return np.maximum(LEAST, THIRD * sd)


def has_far(ours: np.ndarray, theirs: np.ndarray, pool: Pool) -> np.ndarray:
    """Tell (..., n) whether one of the first 1 to n seeds lies far from the others."""
    prefixes = (far_at(ours, theirs, pool, n).any(axis=-1) for n in counts(ours))
    return np.stack(list(prefixes), axis=-1)


def far_at(ours: np.ndarray, theirs: np.ndarray, pool: Pool, n: int) -> np.ndarray:
    """Tell (..., n) which of the first n seeds lie far from the others, by the verdicts' rule.

    The control and the pool say how far seeds of one spread may lie.
    """
    own = squares(theirs)[..., n - 1 : n]
    variance = (pool.freedom * pool.variance + own) / np.maximum(pool.freedom + n - 1, 1)
    margin = np.maximum(MARGIN, WIDE * np.sqrt(2 * variance))
    return far_values((ours - theirs)[..., :n], margin)


def item_errors(drawn: np.ndarray | None, n: int) -> np.ndarray:
    """Return the standard error (n,) that pairs add to the mean of the first 1 to n seeds."""
    if drawn is None:
        return np.zeros(n)
    prefixes = [tuple(range(k)) for k in range(1, n + 1)]
    variances = [item_covariances([drawn[:, : len(one)]], [one])[0, 0] for one in prefixes]
    return np.sqrt(np.maximum(variances, 0))


def quantile(needed: float) -> float:
    """Return the quantile of the normal law at the level of an evidence."""
    return -special.ndtri(1 / needed)


def share(place: int) -> float:
    """Return a try's share of the budget: FIRST have a half, the next 2 FIRST a quarter, and so on."""
    block = math.ceil(place / FIRST).bit_length() - 1
    return 1 / (2 * FIRST * 4**block)


@functools.cache
def spent(tries: int) -> float:
    """Return the share of the budget of so many tries together."""
    return sum(map(share, range(1, tries + 1)))
