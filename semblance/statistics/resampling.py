"""The bootstrap of two crossed factors: would other seeds and other test items show the same?

Each draw takes test items with replacement, the same for every model (Owen 2007). The seeds need no
draws: their part of the variance is known in closed form.
"""

import itertools
from collections.abc import Hashable, Iterable, Iterator, Sequence

import numpy as np
from scipy import stats

CHUNK = 128  # resamples held in memory at once: 128 x 5000 items = 5 MB


def item_covariances(drawn: Sequence[np.ndarray], seeds: Sequence[tuple[int, ...]]) -> np.ndarray:
    """Return (R, R) covariances of R rows over test items: what items add to the error of seeds.

    ``drawn``: of each row (draws, S), its seeds' scores on the resampled items, the same items in a
    row of all. ``seeds``: of each row its S seeds. With weights w of the rows, w M w is the variance
    that a bootstrap of both factors has beyond that of the seeds, in closed form: with D the
    weighted sum for each seed, var(mean of D) + (mean of var(D) - var(mean of D)) / (n - 1). The
    second part is how the seeds differ on other items; there n - 1 of n seeds are drawn (Rao and Wu
    1988). Rows without a seed in common share the first part alone. Draws in which a score is
    undefined (NaN) are left out.
    """
    known = np.all([np.isfinite(scores).all(axis=1) for scores in drawn], axis=0)
    drawn = [scores[known] - scores[known].mean(axis=0) for scores in drawn]
    freedom = max(1, int(known.sum()) - 1)
    means = np.stack([scores.mean(axis=1) for scores in drawn])
    covariances = means @ means.T / freedom
    for (i, ours), (j, theirs) in itertools.product(enumerate(drawn), repeat=2):
        # Only rows of the same seeds differ together from seed to seed.
        if seeds[i] == seeds[j] and len(seeds[i]) > 1:
            by_seed = (ours * theirs).sum(axis=0).mean() / freedom
            covariances[i, j] += (by_seed - covariances[i, j]) / (len(seeds[i]) - 1)
    return covariances


WHOLE = (slice(None),)  # one group of all items


def spearman_draws(
    gold: np.ndarray, similarities: np.ndarray, resampled: Iterable[np.ndarray], groups=WHOLE
) -> np.ndarray:
    """Return (draws, R) Spearman correlations of gold (n,) with similarities (R, n).

    ``resampled``: matrices (D, n) of how often each item is drawn. Of several groups of items it is
    the mean of their own correlations. Ranks are taken once, on the full sample of a group, and a
    resample is a weighted Pearson correlation of those fixed ranks: an approximation, since ranking
    each resample would cost a sort a draw.
    """
    rank = stats.rankdata
    ranked = [(rank(gold[at]), rank(similarities[:, at], axis=1), at) for at in groups]
    parts = []
    for counts in resampled:
        of_groups = [weighted_correlations(x, y, counts[:, at]) for x, y, at in ranked]
        parts.append(np.mean(of_groups, axis=0))
    return np.vstack(parts)


def mean_draws(
    scores: np.ndarray,
    draws: int,
    rng: np.random.Generator,
    groups: Sequence[Hashable] | None = None,
) -> np.ndarray:
    """Return (draws, R) means of scores (R, n), items resampled, or whole groups (n,) of like items.

    The mean of drawn groups is their sum over their size.
    """
    scores = np.asarray(scores, float)
    of_item = np.arange(scores.shape[1])
    if groups is not None:
        _, of_item = np.unique(np.asarray(groups, object), return_inverse=True)
    sizes = np.bincount(of_item)
    sums = np.stack([*(np.bincount(of_item, row) for row in scores), sizes], axis=1)  # (G, R + 1)
    drawn = np.vstack([counts @ sums for counts in resamples(sizes.size, draws, rng)])
    return drawn[:, :-1] / drawn[:, -1:]


def resamples(n: int, draws: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Yield (at most CHUNK, n) matrices: how often each item is in n draws with replacement."""
    for start in range(0, draws, CHUNK):
        rows = min(CHUNK, draws - start)
        picks = rng.integers(n, size=(rows, n))
        numbered = picks + n * np.arange(rows)[:, None]  # no two rows share a number
        counts = np.bincount(numbered.ravel(), minlength=rows * n)
        yield counts.reshape(rows, n).astype(float)


def grouped_resamples(
    groups: Sequence[np.ndarray], draws: int, rng: np.random.Generator, other_groups: bool = False
) -> Iterator[np.ndarray]:
    """Yield what ``resamples`` does, each group of items drawn within itself.

    ``other_groups``: as many groups are drawn first, with replacement, and the items of each drawn
    one within it: what other groups and other items would show (Davison and Hinkley 1997, 3.8).
    """
    count = len(groups)
    for start in range(0, draws, CHUNK):
        rows = min(CHUNK, draws - start)
        times = np.ones((rows, count), int)
        # A drawn group counts as often as it was drawn, with new items each time.
        if other_groups:
            times = rng.multinomial(count, np.full(count, 1 / count), size=rows)
        counts = np.empty((rows, sum(map(len, groups))))
        for group, drawn in zip(groups, times.T, strict=True):
            size = len(group)
            counts[:, group] = rng.multinomial(size * drawn, np.full(size, 1 / size))
        yield counts


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
