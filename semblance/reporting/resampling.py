"""The hierarchical bootstrap: would other seeds and other test items show the same difference?

Each draw takes test items with replacement, the same for every model, and seeds with replacement,
the same for both sides of a pair: the bootstrap of two crossed factors (Owen 2007).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import optimize, stats

from semblance.reporting.significance import LEVEL, Estimate, quantile

LEAST_P = 1e-12  # of the bootstrap: its error is not known well enough for a smaller one
CHUNK = 128  # resamples held in memory at once: 128 x 5000 items = 5 MB


@dataclass(frozen=True)
class Bootstrapped:
    """The standard errors of a difference: from seeds and items, and from the items alone."""

    error: float
    item_error: float


def bootstrapped(
    ours: np.ndarray, theirs: np.ndarray, paired: bool, rng: np.random.Generator
) -> Bootstrapped:
    """Return the standard errors of mean(ours) - mean(theirs).

    ``ours`` (draws, S) and ``theirs`` (draws, T) hold each seed's score on the resampled items, the
    same items in a row of both. ``paired``: column s of both is the same seed. Draws in which a
    score is undefined (NaN) are left out.
    """
    known = np.isfinite(ours).all(axis=1) & np.isfinite(theirs).all(axis=1)
    fixed = ours.mean(axis=1) - theirs.mean(axis=1)
    weights = seed_weights(ours.shape, rng)
    other = weights if paired else seed_weights(theirs.shape, rng)
    drawn = (weights * ours).sum(axis=1) - (other * theirs).sum(axis=1)
    return Bootstrapped(
        error=float(drawn[known].std(ddof=1)), item_error=float(fixed[known].std(ddof=1))
    )


def seed_weights(shape: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """Return (draws, seeds) weights of resampled seeds, which sum to 1 in each draw.

    n - 1 of n seeds are drawn: n of n would give a variance too small by the factor (n - 1) / n,
    which is a fifth of it with five seeds (Rao and Wu 1988). A single seed is not resampled.
    """
    draws, n = shape
    if n == 1:
        return np.ones(shape)
    picks = rng.integers(n, size=(draws, n - 1))
    counts = (picks[:, :, None] == np.arange(n)).sum(axis=1)  # (draws, n)
    return counts / (n - 1)


def reach_of_both(seeds: Estimate, error: float, level: float = LEVEL) -> float:
    """Return half of the interval for other seeds and other test items together.

    The half-widths of the seeds (Student's t) and of the items (normal, as they are many) add in
    quadrature (Zou and Donner 2008). ``error``: of both, which is the items' beyond that of the seeds.
    """
    share = (1 + level) / 2
    of_items = np.maximum(error**2 - seeds.error**2, 0)
    of_seeds = (quantile(share, seeds.freedom) * seeds.error) ** 2
    return np.sqrt(of_seeds + quantile(share, math.inf) ** 2 * of_items)


def p_of_both(seeds: Estimate, error: float) -> float:
    """Return the two-sided p of "other seeds and other items show no difference".

    It is 1 less the level of the interval that ends at 0; at least LEAST_P.
    """

    def excess(log_p: float) -> float:
        """Return by how much the interval of a level reaches beyond 0."""
        return reach_of_both(seeds, error, 1 - math.exp(log_p)) - abs(seeds.value)

    lowest = math.log(LEAST_P)
    if excess(lowest) <= 0:
        return LEAST_P
    if excess(0) >= 0:
        return 1.0
    return math.exp(optimize.brentq(excess, lowest, 0))


def spearman_draws(
    gold: np.ndarray, similarities: np.ndarray, draws: int, rng: np.random.Generator
) -> np.ndarray:
    """Return (draws, R) Spearman correlations of gold (n,) with similarities (R, n).

    Items are resampled. Ranks are taken once, on the full sample, and a resample is a weighted
    Pearson correlation of those fixed ranks: an approximation, since ranking each resample would
    cost a sort a draw.
    """
    x = stats.rankdata(gold)  # (n,)
    y = stats.rankdata(similarities, axis=1)  # (R, n)
    parts = [weighted_correlations(x, y, counts) for counts in resamples(x.size, draws, rng)]
    return np.vstack(parts)


def mean_draws(scores: np.ndarray, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Return (draws, R) means of scores (R, n), items resampled."""
    scores = np.asarray(scores, float)
    n = scores.shape[1]
    parts = [counts @ scores.T / n for counts in resamples(n, draws, rng)]
    return np.vstack(parts)


def resamples(n: int, draws: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Yield (at most CHUNK, n) matrices: how often each item is in n draws with replacement."""
    for start in range(0, draws, CHUNK):
        rows = min(CHUNK, draws - start)
        picks = rng.integers(n, size=(rows, n))
        numbered = picks + n * np.arange(rows)[:, None]  # no two rows share a number
        counts = np.bincount(numbered.ravel(), minlength=rows * n)
        yield counts.reshape(rows, n).astype(float)


def weighted_correlations(x: np.ndarray, y: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return (D, R) Pearson correlations of x (n,) with each row of y (R, n).

    Items are repeated as often as ``counts`` (D, n) says.
    """
    total = counts.sum(axis=1, keepdims=True)  # (D, 1)
    # Centred for precision; the result does not change.
    x = x - x.mean()
    y = y - y.mean(axis=1, keepdims=True)
    mean_x = counts @ x[:, None] / total  # (D, 1)
    mean_y = counts @ y.T / total  # (D, R)
    covariance = counts @ (x * y).T / total - mean_x * mean_y  # (D, R)
    variance_x = counts @ (x**2)[:, None] / total - mean_x**2  # (D, 1)
    variance_y = counts @ (y**2).T / total - mean_y**2  # (D, R)
    with np.errstate(invalid="ignore", divide="ignore"):
        return covariance / np.sqrt(variance_x * variance_y)
