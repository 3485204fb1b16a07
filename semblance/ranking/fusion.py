"""Reciprocal rank fusion: one ranking out of several, by their ranks alone.

Cormack, Clarke and Buettcher (SIGIR 2009): an answer's score is the sum of 1 / (k + rank) over the
rankings, with k = 60.
"""

import numpy as np

K = 60


def reciprocal_rank_fusion(*scores: np.ndarray) -> np.ndarray:
    """Return the fused scores (Q, A) of rankings (Q, A); a higher score is better everywhere.

    Of equal scores the answer with the lower number comes first, as in every ranking here.
    """
    return np.sum([1 / (K + _ranks(each)) for each in scores], axis=0)


def _ranks(scores: np.ndarray) -> np.ndarray:
    """Return the rank of each answer, from 1, in each row."""
    order = np.argsort(-scores, axis=1, kind="stable")
    ranks = np.empty(scores.shape, np.int64)
    places = np.broadcast_to(np.arange(1, scores.shape[1] + 1), scores.shape)
    np.put_along_axis(ranks, order, places, axis=1)
    return ranks
