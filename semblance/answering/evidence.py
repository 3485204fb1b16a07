"""Which way to answer is best, and is it better than no training and than BM25."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import stats

RESAMPLES = 9_999
LEVEL = 0.95
Word = Literal["better", "no better", "worse"]


@dataclass(frozen=True)
class FoldResult:
    """One fold of one way to answer: its dev score, and what it made of each test question (n,).

    ``precision`` is the average precision of a question, ``right`` whether the best answer is
    right, ``confidence`` that of the best answer, ``without`` that of the best wrong one.
    """

    dev: float
    precision: np.ndarray
    right: np.ndarray
    confidence: np.ndarray
    without: np.ndarray


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
    """Compare two ways on the same questions, by the bootstrap over questions, in pairs."""
    differences = joined(ours, "precision") - joined(theirs, "precision")
    low, high = mean_interval(differences, LEVEL)
    return Verdict(_word(low, high), float(differences.mean()), low, high)


def mean_interval(differences: np.ndarray, level: float) -> tuple[float, float]:
    """Return the interval of the mean of paired differences (n,), by the bootstrap over them."""
    if np.ptp(differences) == 0:
        mean = float(differences.mean())
        return mean, mean
    found = stats.bootstrap(
        (differences,),
        np.mean,
        n_resamples=RESAMPLES,
        confidence_level=level,
        method="percentile",
        rng=np.random.default_rng(0),
    )
    low, high = found.confidence_interval
    return float(low), float(high)


def _word(low: float, high: float) -> Word:
    """Return the verdict of an interval of the difference."""
    if low > 0:
        return "better"
    if high < 0:
        return "worse"
    return "no better"
