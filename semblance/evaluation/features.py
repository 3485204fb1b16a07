"""The features of a pair of texts that a classifier or a regressor reads from their embeddings."""

import numpy as np

from semblance.evaluation.texts import Vectors


def pair_features(vectors: Vectors, first: list[str], second: list[str]) -> np.ndarray:
    """Return |u - v| and u * v side by side for the vectors u and v of each pair, (n, 2 d) float64."""
    u = vectors.of(first).astype(np.float64)
    v = vectors.of(second).astype(np.float64)
    return np.hstack([np.abs(u - v), u * v])
