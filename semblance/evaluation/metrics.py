"""The metrics of both papers, in float64: correlations, and rankings with their ties decided."""

from collections.abc import Iterable, Iterator

import numpy as np

from semblance.errors import InputError
from semblance.models.vectors import unit


def ranks(values: np.ndarray) -> np.ndarray:
    """Return ranks from 1, shape (n,); equal values share the mean of their ranks."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    last = np.concatenate([first[1:], [len(values)]])
    # Values of one run stand at the positions first ... last - 1, so their mean rank from 1 on is
    # (first + 1 + last) / 2.
    shared = np.empty(len(values))
    shared[order] = np.repeat((first + 1 + last) / 2, last - first)
    return shared


def pearson(x: np.ndarray, y: np.ndarray) -> float:
    """Return Pearson's r; NaN where one side is constant or a value is not finite."""
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        return float("nan")
    if x.min() == x.max() or y.min() == y.max():  # rounding of the mean would make up a correlation
        return float("nan")
    x, y = x - x.mean(), y - y.mean()
    norm = np.sqrt((x @ x) * (y @ y))
    # Numbers may differ by so little that their squares are 0.
    return float(x @ y / norm) if norm > 0 else float("nan")


def spearman(x: np.ndarray, y: np.ndarray) -> float:
    """Return Spearman's ρ, that is Pearson's r of the ranks; NaN as for ``pearson``."""
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    # A rank would hide a NaN: sorting puts it last.
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        return float("nan")
    return pearson(ranks(x), ranks(y))


def cosine_pairs(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the cosine of each row pair, (n,), in float64; NaN for a zero vector."""
    left, right = np.asarray(left, np.float64), np.asarray(right, np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (left * right).sum(1) / np.sqrt((left**2).sum(1) * (right**2).sum(1))


def relevant_ranks(scores: np.ndarray, relevant: np.ndarray) -> np.ndarray:
    """Return the ascending ranks, from 1, of the relevant candidates of one query.

    Ties: score descending, then candidate number ascending.
    """
    # A stable sort of the negated scores leaves the smaller number first among equal ones.
    order = np.argsort(-scores, kind="stable")
    position = np.empty(len(scores), dtype=np.int64)
    position[order] = np.arange(1, len(scores) + 1)
    return np.sort(position[relevant])


def accuracy_at(ranks_of_relevant: np.ndarray, k: int) -> float:
    """Return 1.0 if a relevant candidate is among the first k, else 0.0."""
    return float(ranks_of_relevant[0] <= k)


def average_precision(ranks_of_relevant: np.ndarray) -> float:
    """Return the average precision over ALL relevant candidates; 1/rank where there is one."""
    # Among the first rank_k candidates k are relevant: that is the precision at the k-th of them.
    return float(np.mean(np.arange(1, len(ranks_of_relevant) + 1) / ranks_of_relevant))


def refuse_zero_vectors(*values: np.ndarray) -> None:
    """Raise InputError where unit vectors or cosines are undefined: a vector was zero."""
    if not all(np.isfinite(part).all() for part in values):
        raise InputError(
            "model", "gives a zero vector, whose cosine is undefined", "train it again"
        )


def rank_relevant(
    answers: np.ndarray, queries: np.ndarray, relevant: Iterable[Iterable[int]]
) -> Iterator[np.ndarray]:
    """Yield, for each query, the ascending ranks of its relevant answers among all answers.

    ``answers`` (A, d) and ``queries`` (Q, d) are vectors of any length; ``relevant`` holds the
    numbers of the relevant answers of each query. Answers are ranked by their cosine.
    """
    answers = unit(answers)
    queries = unit(queries)
    refuse_zero_vectors(answers, queries)
    for query, numbers in zip(queries, relevant, strict=True):
        yield relevant_ranks(answers @ query, np.asarray(numbers))


NEAR = 4.0  # alignment is measured on STS-B pairs with a gold score above this (SimCSE, section 3)


def alignment(left: np.ndarray, right: np.ndarray) -> float:
    """Return the mean squared distance of paired unit vectors; lower is closer."""
    return float(((unit(left) - unit(right)) ** 2).sum(1).mean())


def uniformity(vectors: np.ndarray) -> float:
    """Return log mean exp(-2 |x - y|²) over all distinct pairs of unit vectors; lower is more uniform."""
    x = unit(vectors)
    # |x - y|² = 2 - 2 x·y of unit vectors; rounding may bring equal ones a little below 0.
    squared = np.clip(2 - 2 * x @ x.T, 0, None)
    upper = np.triu_indices(len(x), k=1)
    return float(np.log(np.exp(-2 * squared[upper]).mean()))
