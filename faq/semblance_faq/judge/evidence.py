"""Which way to answer is best, and is it better than no training and than BM25."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import stats
from scipy.cluster.hierarchy import DisjointSet

RESAMPLES = 9_999
LEVEL = 0.95
FEWEST_CLUSTERS = 10  # with fewer, a bootstrap over clusters gives intervals that are too narrow
Word = Literal["better", "no better", "worse"]


@dataclass(frozen=True)
class FoldResult:
    """One fold of one way to answer: what it made of each test question (n,).

    ``precision`` is the average precision of a question, ``right`` whether the best answer is
    right, ``confidence`` that of the best answer, ``without`` that of the best wrong one.
    ``cluster`` numbers the questions that belong together, alike in all folds of a bank.
    """

    precision: np.ndarray
    right: np.ndarray
    confidence: np.ndarray
    without: np.ndarray
    cluster: np.ndarray


Ways = Mapping[str, Sequence[FoldResult]]  # by name, the simplest first; the folds in one order


@dataclass(frozen=True)
class Verdict:
    """Ours against another way on the same questions: the difference of the mean average precision."""

    word: Word
    difference: float
    low: float
    high: float


def choose(ways: Ways) -> str:
    """Return the way that is left when each beats the one kept so far by more than one standard error.

    The best of many scores on few questions is the luckiest one. So a way replaces a simpler one
    only where the mean of their paired differences is larger than its own standard error.
    """
    kept, *others = ways
    for name in others:
        if beats(ways[name], ways[kept]):
            kept = name
    return kept


def choices_by_fold(ways: Ways) -> list[str]:
    """Return for each fold the way that the test questions of all other folds choose.

    A fold's own scores have no part in its choice, so that they are not too good. The models of the
    other folds were trained on its questions, though.
    """
    folds = len(next(iter(ways.values())))
    return [
        choose({name: [*way[:fold], *way[fold + 1 :]] for name, way in ways.items()})
        for fold in range(folds)
    ]


def choose_by_fold(ways: Ways) -> list[FoldResult]:
    """Return the results of ``choices_by_fold``."""
    return [ways[name][fold] for fold, name in enumerate(choices_by_fold(ways))]


def beats(ours: Sequence[FoldResult], theirs: Sequence[FoldResult]) -> bool:
    """Tell whether our mean average precision is higher by more than one standard error."""
    differences = joined(ours, "precision") - joined(theirs, "precision")
    sums, sizes = _of_clusters(differences, joined(ours, "cluster"))
    return bool(differences.mean() > standard_error(sums, sizes))


def joined(folds: Sequence[FoldResult], name: str) -> np.ndarray:
    """Return one column of all folds' test questions."""
    return np.concatenate([getattr(fold, name) for fold in folds])


def compare(ours: Sequence[FoldResult], theirs: Sequence[FoldResult]) -> Verdict:
    """Compare two ways on the same questions, in pairs, by the bootstrap over clusters."""
    differences = joined(ours, "precision") - joined(theirs, "precision")
    low, high = mean_interval(differences, joined(ours, "cluster"))
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
    clusters = DisjointSet(range(len(marks)))
    first: dict[Hashable, int] = {}  # the question that has a mark first
    for question, own in enumerate(marks):
        for mark in own:
            clusters.merge(question, first.setdefault(mark, question))
    return np.array([clusters[question] for question in range(len(marks))])


def mean_interval(differences: np.ndarray, clusters: np.ndarray) -> tuple[float, float]:
    """Return the interval of the mean of paired differences (n,) of average precisions.

    Questions of one cluster (n,), such as the wordings of one entry, are alike: whole clusters are
    drawn in the bootstrap. With fewer than ``FEWEST_CLUSTERS`` it is the t interval over clusters.
    """
    if np.ptp(differences) == 0:
        mean = float(differences.mean())
        return mean, mean
    sums, sizes = _of_clusters(differences, clusters)
    if len(sums) < FEWEST_CLUSTERS:
        if len(sums) == 1:  # it says nothing of others: any difference of average precisions
            return -1.0, 1.0
        mean = sums.sum() / sizes.sum()
        half = stats.t.ppf((1 + LEVEL) / 2, len(sums) - 1) * standard_error(sums, sizes)
        return float(max(mean - half, -1)), float(min(mean + half, 1))
    drawn = stats.bootstrap(
        (sums, sizes),
        lambda sums, sizes, axis: sums.sum(axis) / sizes.sum(axis),
        n_resamples=RESAMPLES,
        confidence_level=LEVEL,
        method="percentile",
        paired=True,
        vectorized=True,
        rng=np.random.default_rng(0),
    )
    low, high = drawn.confidence_interval
    return float(low), float(high)


def _of_clusters(differences: np.ndarray, clusters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the sum of the differences of each cluster, and how many they are."""
    number: dict[int, int] = {}  # of the clusters, in order of appearance
    places = [number.setdefault(cluster, len(number)) for cluster in clusters.tolist()]
    return np.bincount(places, differences), np.bincount(places)


def standard_error(sums: np.ndarray, sizes: np.ndarray) -> float:
    """Return the standard error of the mean over clusters, which is inf for one cluster.

    Source: Cameron and Miller 2015, section II.
    """
    count = len(sums)
    if count == 1:
        return float("inf")
    residuals = sums - sums.sum() / sizes.sum() * sizes
    return float(np.sqrt(count / (count - 1) * (residuals**2).sum()) / sizes.sum())
