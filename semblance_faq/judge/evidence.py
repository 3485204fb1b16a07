"""Which way to answer is best, and is it better than no training and than BM25."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import sparse, stats

RESAMPLES = 9_999
LEVEL = 0.95
FEWEST_CLUSTERS = 10  # with fewer, a bootstrap over clusters gives intervals that are too narrow
Word = Literal["better", "no better", "worse"]


@dataclass(frozen=True)
class FoldResult:
    """One fold of one way to answer: its dev score, and what it made of each test question (n,).

    ``precision`` is the average precision of a question, ``right`` whether the best answer is
    right, ``confidence`` that of the best answer, ``without`` that of the best wrong one.
    ``cluster`` numbers the questions that belong together, alike in all folds of a bank.
    """

    dev: float
    precision: np.ndarray
    right: np.ndarray
    confidence: np.ndarray
    without: np.ndarray
    cluster: np.ndarray


Ways = Mapping[str, Sequence[FoldResult]]  # by name, the folds in one order


@dataclass(frozen=True)
class Verdict:
    """Ours against another way on the same questions: the difference of the mean average precision."""

    word: Word
    difference: float
    low: float
    high: float


def choose(ways: Ways) -> str:
    """Return the way with the highest mean dev score; of equals the first."""
    means = {name: float(np.mean([fold.dev for fold in folds])) for name, folds in ways.items()}
    return max(means, key=means.__getitem__)


def choose_by_fold(ways: Ways) -> list[FoldResult]:
    """Return for each fold the tests of the way that the fold's own dev questions choose.

    The test questions have no part in the choice, so that their scores are not too good. The dev
    questions of one fold are tested in another, so the choice over all folds has no such score.
    """
    folds = len(next(iter(ways.values())))
    chosen = [
        choose({name: [results[fold]] for name, results in ways.items()}) for fold in range(folds)
    ]
    return [ways[name][fold] for fold, name in enumerate(chosen)]


def joined(folds: Sequence[FoldResult], name: str) -> np.ndarray:
    """Return one column of all folds' test questions."""
    return np.concatenate([getattr(fold, name) for fold in folds])


def compare(ours: Sequence[FoldResult], theirs: Sequence[FoldResult]) -> Verdict:
    """Compare two ways on the same questions, in pairs, by the bootstrap over clusters."""
    differences = joined(ours, "precision") - joined(theirs, "precision")
    low, high = mean_interval(differences, joined(ours, "cluster"), LEVEL)
    word: Word = "no better"
    if low > 0:
        word = "better"
    if high < 0:
        word = "worse"
    return Verdict(word, float(differences.mean()), low, high)


def clusters_of(marks: Sequence[Collection[Hashable]]) -> np.ndarray:
    """Return the cluster (n,) of each of n questions: those that share a mark are one cluster.

    So are those that are connected by others. Marks are the right answers of a question, and what
    else makes questions alike.
    """
    numbers: dict[Hashable, int] = {}
    questions = []
    columns = []
    for question, own in enumerate(marks):
        for mark in own:
            questions.append(question)
            columns.append(len(marks) + numbers.setdefault(mark, len(numbers)))
    size = len(marks) + len(numbers)
    graph = sparse.coo_array((np.ones(len(columns)), (questions, columns)), shape=(size, size))
    _, labels = sparse.csgraph.connected_components(graph, directed=False)
    return labels[: len(marks)]


def mean_interval(
    differences: np.ndarray, clusters: np.ndarray, level: float
) -> tuple[float, float]:
    """Return the interval of the mean of paired differences (n,) of average precisions.

    Questions of one cluster (n,), such as the wordings of one entry, are alike: whole clusters are
    drawn in the bootstrap. With fewer than ``FEWEST_CLUSTERS`` it is the t interval over clusters.
    """
    if np.ptp(differences) == 0:
        mean = float(differences.mean())
        return mean, mean
    number: dict[int, int] = {}  # of the clusters, in order of appearance
    places = [number.setdefault(cluster, len(number)) for cluster in clusters.tolist()]
    sums, sizes = np.bincount(places, differences), np.bincount(places)
    if len(sums) < FEWEST_CLUSTERS:
        return _t_interval(sums, sizes, level)
    found = stats.bootstrap(
        (sums, sizes),
        _mean_of_clusters,
        n_resamples=RESAMPLES,
        confidence_level=level,
        method="percentile",
        paired=True,
        vectorized=True,
        rng=np.random.default_rng(0),
    )
    low, high = found.confidence_interval
    return float(low), float(high)


def _mean_of_clusters(sums: np.ndarray, sizes: np.ndarray, axis: int = -1) -> np.ndarray:
    return sums.sum(axis=axis) / sizes.sum(axis=axis)


def _t_interval(sums: np.ndarray, sizes: np.ndarray, level: float) -> tuple[float, float]:
    """Return the t interval of the mean over clusters, with the error that clusters show.

    One cluster says nothing of others: the mean may be anything that a difference of average
    precisions can be. Source: Cameron and Miller 2015, section II.
    """
    count = len(sums)
    if count == 1:
        return -1.0, 1.0
    mean = sums.sum() / sizes.sum()
    residuals = sums - mean * sizes
    error = np.sqrt(count / (count - 1) * (residuals**2).sum()) / sizes.sum()
    half = stats.t.ppf((1 + level) / 2, count - 1) * error
    return float(max(mean - half, -1)), float(min(mean + half, 1))
