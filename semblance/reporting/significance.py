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
    """Return the two-sided p of Welch's t-test.

    NaN if a side has fewer than two values, or if neither side has any spread.
    """
    if min(len(a), len(b)) < 2 or np.ptp(a) == np.ptp(b) == 0:
        return math.nan
    return float(stats.ttest_ind(a, b, equal_var=False).pvalue)


def one_sample(a: Sequence[float], constant: float) -> float:
    """Return the two-sided p of a one-sample t-test against a constant, as of an untrained model.

    NaN with fewer than two values, or without spread.
    """
    if len(a) < 2 or np.ptp(a) == 0:
        return math.nan
    return float(stats.ttest_1samp(a, constant).pvalue)


def smallest_p_permutation(n: int, m: int) -> float:
    """Return the smallest two-sided p of the exact permutation test on n and m values.

    One of the C(n+m, n) ways to deal the labels is the most extreme; with n = m its mirror image is
    as extreme. Welch's p, which trusts the normal law, has no such bound: a Welch p below this one
    rests on that law alone.
    """
    most_extreme = 2 if n == m else 1
    return min(1.0, most_extreme / math.comb(n + m, n))


def smallest_p_signs(n: int) -> float:
    """Return the smallest two-sided p of the exact sign-flip test of n values against a constant.

    It is 2 / 2^n.
    """
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
    rng = np.random.default_rng(seed)
    return two_sided(spearman_differences(gold, sims_a, sims_b, draws, rng))


def paired_bootstrap_mean(a: np.ndarray, b: np.ndarray, draws: int, seed: int) -> float:
    """Return the two-sided p for "a and b have equal means", resampling queries.

    ``a`` and ``b`` are (n,), paired.
    """
    rng = np.random.default_rng(seed)
    return two_sided(mean_differences(a, b, draws, rng))


def two_sided(differences: np.ndarray) -> float:
    """Return twice the smaller tail of resampled differences at 0, one draw added to each tail.

    ``differences`` (draws,); draws in which a correlation is undefined (NaN) are left out. NaN if
    no draw is left.
    """
    known = differences[np.isfinite(differences)]
    if not known.size:
        return math.nan
    tail = min((known <= 0).sum(), (known >= 0).sum())
    return min(1.0, 2 * (int(tail) + 1) / (known.size + 1))


def spearman_differences(
    gold: np.ndarray, sims_a: np.ndarray, sims_b: np.ndarray, draws: int, rng: np.random.Generator
) -> np.ndarray:
    """Return (draws,) resampled differences of mean Spearman.

    Shapes as in ``paired_bootstrap_spearman``.
    """
    x = stats.rankdata(gold)  # (n,)
    y = stats.rankdata(np.vstack([sims_a, sims_b]), axis=1)  # (S + T, n)
    s = np.atleast_2d(sims_a).shape[0]
    parts = [weighted_correlations(x, y, counts) for counts in resamples(x.size, draws, rng)]
    rho = np.vstack(parts)  # (draws, S + T)
    return rho[:, :s].mean(axis=1) - rho[:, s:].mean(axis=1)


def mean_differences(
    a: np.ndarray, b: np.ndarray, draws: int, rng: np.random.Generator
) -> np.ndarray:
    """Return (draws,) resampled means of the paired differences a - b, both (n,)."""
    gap = np.asarray(a, float) - np.asarray(b, float)
    n = gap.size
    return np.concatenate([counts @ gap / n for counts in resamples(n, draws, rng)])


def resamples(n: int, draws: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Yield (at most CHUNK, n) matrices: how often each item is in n draws with replacement."""
    for start in range(0, draws, CHUNK):
        rows = min(CHUNK, draws - start)
        picks = rng.integers(n, size=(rows, n))
        numbered = picks + n * np.arange(rows)[:, None]  # no two rows share a number
        counts = np.bincount(numbered.ravel(), minlength=rows * n)
        yield counts.reshape(rows, n).astype(float)


def weighted_correlations(x: np.ndarray, y: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return (D, S) Pearson correlations of x (n,) with each row of y (S, n).

    Items are repeated as often as ``counts`` (D, n) says.
    """
    total = counts.sum(axis=1, keepdims=True)  # (D, 1)
    # Centred for precision; the result does not change.
    x = x - x.mean()
    y = y - y.mean(axis=1, keepdims=True)
    mean_x = counts @ x[:, None] / total  # (D, 1)
    mean_y = counts @ y.T / total  # (D, S)
    covariance = counts @ (x * y).T / total - mean_x * mean_y  # (D, S)
    variance_x = counts @ (x**2)[:, None] / total - mean_x**2  # (D, 1)
    variance_y = counts @ (y**2).T / total - mean_y**2  # (D, S)
    with np.errstate(invalid="ignore", divide="ignore"):
        return covariance / np.sqrt(variance_x * variance_y)
