"""Is a difference more than luck? Tests on the scores of the seeds, paired wherever they can be.

The papers name no test. docs/statistics.md explains each one here, with its error rates.
Arrays may have leading axes: the last axis is that of the seeds.
"""

import bisect
import functools
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import optimize, stats

LEVEL = 0.95  # of an interval
ALPHA = 0.05  # of a two-sided test
FEWEST_TO_EQUAL = 3  # seeds: with fewer, nothing is called equal
FEWEST_TO_JOIN = 6  # seeds of a joint test: five give no p below .031
POWER = 0.8
LEAST_P = 1e-12  # two-sided, with items: their error is not known well enough for a smaller one
MOST_SEEDS = 10_000  # that it makes sense to ask for
SPREADLESS = 1e-9  # points: a smaller sd is what the rounding of equal values leaves
MOST_PERMUTATIONS = 2**16  # of more, as many are drawn


@dataclass(frozen=True)
class Estimate:
    """A difference, its standard error and its degrees of freedom: what a t-test stands on.

    ``more`` is a further standard error, of normal law: that of the test items, which are many, or
    of a number in print. The first two and ``more`` are numbers, or arrays of one shape.
    ``seeds``: of the side that has fewer; inf where no seeds have a part in it.
    """

    value: float
    error: float
    freedom: float
    more: float = 0.0
    seeds: float = math.inf

    def reach(self, level: float = LEVEL) -> float:
        """Return half of the interval: the half-widths of both errors, added in quadrature.

        Source: Zou and Donner 2008, whose variances of two sources are recovered from their limits.
        """
        share = (1 + level) / 2
        of_seeds = quantile(share, self.freedom) * self.error
        return np.hypot(of_seeds, quantile(share, math.inf) * self.more)

    def interval(self, level: float = LEVEL) -> tuple[float, float]:
        """Return the two ends of the interval."""
        return self.value - self.reach(level), self.value + self.reach(level)

    def p(self) -> float:
        """Return the two-sided p of "the difference is 0"."""
        return 2 * self._tail(abs(self.value))

    def p_above(self, least: float) -> float:
        """Return the one-sided p of "the difference is at most ``least``"."""
        return float(self._tail(self.value - least))

    def p_equivalence(self, margin: float) -> float:
        """Return the p of "the difference is not within ±margin", by two one-sided tests.

        Below half of ALPHA the interval lies within the margin. 1 of too few seeds.
        """
        # Two seeds that agree by luck have an interval of hardly any width.
        if self.seeds < FEWEST_TO_EQUAL:
            return 1.0
        return self._tail(margin - abs(self.value))

    def _tail(self, distance: float) -> float:
        """Return the one-sided p of a distance: its interval of level 1 - 2 p reaches so far."""
        if np.all(np.asarray(self.more) == 0):
            return stats.t.sf(distance / self.error, self.freedom)
        if math.isinf(self.error):  # of an exact test whose p is 1
            return 0.5
        # The error's law is symmetric: beyond the other side lies the rest.
        if distance < 0:
            return 1 - self._tail(-distance)

        def excess(log_p: float) -> float:
            """Return how much further than the distance the interval of a p reaches."""
            return float(self.reach(1 - 2 * math.exp(log_p))) - distance

        # In logarithms a p of 1e-12 is found with as many digits as one of .1.
        lowest, highest = math.log(LEAST_P / 2), math.log(0.5)
        if excess(lowest) <= 0:
            return LEAST_P / 2
        if excess(highest) >= 0:
            return 0.5
        return math.exp(optimize.brentq(excess, lowest, highest))

    def detectable(self) -> float:
        """Return the difference that a two-sided t-test at ALPHA would show with POWER."""
        return noncentrality(self.freedom) * self.error


def paired(differences: np.ndarray) -> Estimate:
    """Return the mean of paired differences (..., n) with its standard error; n - 1 freedom."""
    differences = np.asarray(differences, float)
    n = differences.shape[-1]
    error = differences.std(axis=-1, ddof=1) / math.sqrt(n)
    return Estimate(differences.mean(axis=-1), error, n - 1, seeds=n)


def unpaired(weights: Sequence[float], samples: Sequence[np.ndarray]) -> Estimate:
    """Return the weighted sum of the means of samples (n_k,), as Welch and Satterthwaite have it."""
    value = 0.0
    parts = []  # the variance of each weighted mean, and its degrees of freedom
    for weight, sample in zip(weights, samples, strict=True):
        value += weight * float(np.mean(sample))
        parts.append((weight**2 * np.var(sample, ddof=1) / len(sample), len(sample) - 1))
    variance = sum(part for part, _ in parts)
    seeds = min(map(len, samples))
    # Equal values on every side: there is no freedom to share out.
    if variance == 0:
        return Estimate(value, 0.0, math.inf, seeds=seeds)
    # That of the one chi-square with the mean and the variance of this sum of several.
    freedom = variance**2 / sum(part**2 / n for part, n in parts)
    return Estimate(value, math.sqrt(variance), freedom, seeds=seeds)


def p_sign_flips(differences: np.ndarray) -> np.ndarray:
    """Return the exact two-sided p of paired differences (..., n) whose signs are luck.

    Above 16 values, 2^16 draws of the signs with a fixed seed take the place of all.
    """
    return _p_permutation("samples", differences)


def p_relabelled(ours: Sequence[float], theirs: Sequence[float]) -> np.ndarray:
    """Return the exact two-sided p of two unpaired samples whose labels are luck.

    Above 2^16 ways to deal the labels, as many draws with a fixed seed take the place of all.
    """
    return _p_permutation("independent", ours, theirs)


def p_joint(differences: np.ndarray) -> float | None:
    """Return the exact one-sided p of readings (S, n) that share n seeds: luck gives each seed a sign.

    A seed's sign turns all its readings at once, as they share its draws; the statistic is the
    median over readings of the mean over seeds (Simonsohn, Simmons and Nelson 2020). None below
    FEWEST_TO_JOIN seeds, where no p can be small: n seeds have 2^n signs.
    """
    if differences.shape[1] < FEWEST_TO_JOIN:
        return None
    return share_of_luck(np.median(differences @ _signs(differences.shape[1]).T, axis=0))


def _signs(seeds: int) -> np.ndarray:
    """Return the signs (N, n) that luck may give n seeds: all, or many draws; the first turn none."""
    if 2**seeds <= MOST_PERMUTATIONS:
        return np.array(list(itertools.product((1, -1), repeat=seeds)))
    signs = np.random.default_rng(0).choice((1, -1), (MOST_PERMUTATIONS, seeds))
    signs[0] = 1
    return signs


def share_of_luck(values: np.ndarray) -> float:
    """Return the share of the values (N,), of luck each, that reach the first, which was seen.

    Rounded: equal sums differ in their last bits.
    """
    rounded = np.round(values, 9)
    return float(np.mean(rounded >= rounded[0]))


def swapped(ours: np.ndarray, theirs: np.ndarray, number: Callable) -> np.ndarray:
    """Return the difference (N,) of one number of each side, where luck swaps the sides of seeds (n,).

    ``number`` maps scores (N, n) to (N,), such as the mean of the three best. The first swaps none.
    """
    swap = _signs(len(ours)) < 0
    return number(np.where(swap, theirs, ours)) - number(np.where(swap, ours, theirs))


def shift_interval(
    ours: np.ndarray, theirs: np.ndarray, number: Callable
) -> tuple[float, float] | None:
    """Return the exact interval of a shift between paired scores (n,), by one number of each side.

    It holds each shift that, taken off ours, leaves a difference which swaps within seeds reach more
    often than in ALPHA of cases (Lehmann, Nonparametrics, 1975). ``number`` moves with the scores.
    None below FEWEST_TO_JOIN seeds, whose swaps are too few.
    """
    if len(ours) < FEWEST_TO_JOIN:
        return None
    difference = float(swapped(ours, theirs, number)[0])
    far = 3 * float(np.ptp([ours - difference, theirs])) + 1  # there luck reaches no number

    def excess(shift: float) -> float:
        """Return by how much the share of the swaps that reach what is left lies above ALPHA."""
        return share_of_luck(np.abs(swapped(ours - shift, theirs, number))) - ALPHA

    ends = (difference - far, difference + far)
    low, high = (optimize.bisect(excess, end, difference, xtol=SPREADLESS) for end in ends)
    return low, high


def _p_permutation(kind: str, *samples: Sequence[float]) -> np.ndarray:
    def distance(ours: np.ndarray, *theirs: np.ndarray, axis: int) -> np.ndarray:
        """Return how far the mean lies from that of the other sample, or from 0.

        Rounded: of whole counts, such as right answers, many sums are equal but for their last bits.
        """
        difference = np.mean(ours, axis=axis) - sum(np.mean(one, axis=axis) for one in theirs)
        return np.round(np.abs(difference), 9)

    test = stats.permutation_test(
        [np.asarray(sample, float) for sample in samples],
        distance,
        permutation_type=kind,
        vectorized=True,
        n_resamples=MOST_PERMUTATIONS,
        alternative="greater",
        axis=-1,
        rng=0,
    )
    return test.pvalue


def holm(ps: Sequence[float]) -> list[float]:
    """Return p values corrected for their number, in their order (Holm 1979)."""
    corrected = [0.0] * len(ps)
    largest = 0.0
    for rank, position in enumerate(sorted(range(len(ps)), key=lambda i: ps[i])):
        # The largest so far: the corrected values keep the order of the p values.
        largest = max(largest, (len(ps) - rank) * ps[position])
        corrected[position] = min(1.0, largest)
    return corrected


def smallest_p_permutation(n: int, m: int) -> float:
    """Return the smallest two-sided p of the exact permutation test on n and m values.

    One of the C(n+m, n) ways to deal the labels is the most extreme; with n = m its mirror image is
    as extreme. Welch's p, which trusts the normal law, has no such bound: a Welch p below this one
    rests on that law alone.
    """
    most_extreme = 2 if n == m else 1
    return min(1.0, most_extreme / math.comb(n + m, n))


def smallest_p_signs(n: int) -> float:
    """Return the smallest two-sided p of the exact sign-flip test of n values, 2 / 2^n."""
    return min(1.0, 2.0 ** (1 - n))


@functools.lru_cache
def quantile(share: float, freedom: float) -> float:
    """Return the quantile of Student's t."""
    return float(stats.t.ppf(share, freedom))


@functools.lru_cache
def noncentrality(freedom: float) -> float:
    """Return how many standard errors a two-sided t-test at ALPHA shows with POWER.

    A test that rejects on the wrong side shows nothing.
    """
    limit = quantile(1 - ALPHA / 2, freedom)
    power = functools.partial(stats.nct.sf, limit, freedom)
    return float(optimize.brentq(lambda shift: power(shift) - POWER, 0, 2 * limit + 2))


def seeds_to_show(size: float, sd: float) -> int | None:
    """Return how many pairs of seeds show a difference of a size with POWER.

    ``sd``: of the paired differences. None: more than MOST_SEEDS.
    """
    return _least(lambda n: noncentrality(n - 1) * (sd / math.sqrt(n)) <= size)


def seeds_to_equal(margin: float, sd: float) -> int | None:
    """Return how many pairs of seeds show two equal methods to be equal within ±margin with POWER.

    As ``seeds_to_show``. Of two equal methods, each tail misses the margin with (1 - POWER) / 2.
    """
    tail = 1 - (1 - POWER) / 2

    def equals(n: int) -> bool:
        """Tell whether n pairs show two equal methods to be within the margin."""
        error = sd / math.sqrt(n)
        reach = quantile((1 + LEVEL) / 2, n - 1) + quantile(tail, n - 1)
        return reach * error <= margin

    return _least(equals)


def _least(holds: Callable[[int], bool]) -> int | None:
    """Return the least number of seeds, at least 2, for which a monotone condition holds."""
    # The condition is sorted, no before yes, so that it is asked some twenty times and not for each.
    numbers = range(2, MOST_SEEDS + 1)
    place = bisect.bisect_left(numbers, True, key=holds)
    return numbers[place] if place < len(numbers) else None
