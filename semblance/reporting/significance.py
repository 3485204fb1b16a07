"""Is a difference more than luck? Tests on the seeds (few values) and on the items (many).

The papers name no test. Two are used here: Welch's t on the seeds' scores, which asks whether
another set of seeds would show the difference, and a paired bootstrap over the test items, which
asks whether another test set would.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np
from scipy import stats

CHUNK = 128  # resamples held in memory at once: 128 x 5000 items = 5 MB


def welch(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the two-sided p of Welch's t-test; NaN with fewer than two values or no spread on both sides."""
    if min(len(a), len(b)) < 2 or np.ptp(a) == np.ptp(b) == 0:
        return math.nan
    return float(stats.ttest_ind(a, b, equal_var=False).pvalue)


def one_sample(a: Sequence[float], constant: float) -> float:
    """Return the two-sided p of a one-sample t-test against a value that has no seeds (an untrained model)."""
    if len(a) < 2 or np.ptp(a) == 0:
        return math.nan
    return float(stats.ttest_1samp(a, constant).pvalue)


def smallest_p_permutation(n: int, m: int) -> float:
    """Return the smallest two-sided p of the exact permutation test on n and m values.

    One of the C(n+m, n) ways to deal the labels is the most extreme; with n = m its mirror image is
    as extreme. Welch's p, which trusts the normal law, has no such bound: a Welch p below this one
    rests on that law alone.
    """
    return min(1.0, (2 if n == m else 1) / math.comb(n + m, n))


def smallest_p_signs(n: int) -> float:
    """Return the smallest two-sided p of the exact sign-flip test of n values against a constant: 2 / 2^n."""
    return min(1.0, 2.0 ** (1 - n))


def smallest_p_bootstrap(draws: int) -> float:
    """Return the smallest p that ``two_sided`` can give with this many draws."""
    return min(1.0, 2 / (draws + 1))


def paired_bootstrap_spearman(
    gold: np.ndarray, sims_a: np.ndarray, sims_b: np.ndarray, draws: int, seed: int
) -> float:
    """Return the two-sided p for "a and b correlate equally with gold", resampling the items.

    ``gold`` (n,), ``sims_a`` (S, n) and ``sims_b`` (T, n): one row a seed; the statistic is the
    mean Spearman over a's rows minus that over b's. Ranks are taken once, on the full sample, and a
    resample is a weighted Pearson correlation of those fixed ranks: an approximation (re-ranking
    each resample would cost a sort a draw) that leaves the observed statistic exact.
    """
    return two_sided(spearman_differences(gold, sims_a, sims_b, draws, np.random.default_rng(seed)))


def paired_bootstrap_mean(a: np.ndarray, b: np.ndarray, draws: int, seed: int) -> float:
    """Return the two-sided p for "a and b have equal means", resampling queries; a and b are (n,), paired."""
    return two_sided(mean_differences(a, b, draws, np.random.default_rng(seed)))


def two_sided(differences: np.ndarray) -> float:
    """Return twice the smaller tail of resampled differences at 0, each tail counting one draw more.

    ``differences`` (draws,); draws in which a correlation is undefined (NaN) are left out. NaN if none is left.
    """
    known = differences[np.isfinite(differences)]
    if not known.size:
        return math.nan
    tail = min((known <= 0).sum(), (known >= 0).sum())
    return min(1.0, 2 * (int(tail) + 1) / (known.size + 1))


def spearman_differences(
    gold: np.ndarray, sims_a: np.ndarray, sims_b: np.ndarray, draws: int, rng: np.random.Generator
) -> np.ndarray:
    """Return (draws,) resampled differences of mean Spearman; shapes as in ``paired_bootstrap_spearman``."""
    x = stats.rankdata(gold)  # (n,)
    y = stats.rankdata(np.vstack([sims_a, sims_b]), axis=1)  # (S + T, n)
    s = np.atleast_2d(sims_a).shape[0]
    rho = np.vstack(
        [weighted_correlations(x, y, counts) for counts in resamples(x.size, draws, rng)]
    )  # (draws, S + T)
    return rho[:, :s].mean(axis=1) - rho[:, s:].mean(axis=1)


def mean_differences(
    a: np.ndarray, b: np.ndarray, draws: int, rng: np.random.Generator
) -> np.ndarray:
    """Return (draws,) resampled means of the paired differences a - b, both (n,)."""
    gap = np.asarray(a, float) - np.asarray(b, float)
    return np.concatenate([counts @ gap / gap.size for counts in resamples(gap.size, draws, rng)])


def resamples(n: int, draws: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Yield (at most CHUNK, n) matrices: how often each of n items is drawn in n draws with replacement."""
    for start in range(0, draws, CHUNK):
        rows = min(CHUNK, draws - start)
        picks = rng.integers(n, size=(rows, n)) + n * np.arange(rows)[:, None]
        yield np.bincount(picks.ravel(), minlength=rows * n).reshape(rows, n).astype(float)


def weighted_correlations(x: np.ndarray, y: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return (D, S) Pearson correlations of x (n,) with each row of y (S, n), items repeated by counts (D, n)."""
    total = counts.sum(axis=1, keepdims=True)  # (D, 1)
    x, y = (
        x - x.mean(),
        y - y.mean(axis=1, keepdims=True),
    )  # centred for precision; the result does not change
    mean_x = counts @ x[:, None] / total  # (D, 1)
    mean_y = counts @ y.T / total  # (D, S)
    covariance = counts @ (x * y).T / total - mean_x * mean_y  # (D, S)
    spread = (counts @ (x**2)[:, None] / total - mean_x**2) * (
        counts @ (y**2).T / total - mean_y**2
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        return covariance / np.sqrt(spread)
