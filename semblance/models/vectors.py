"""The directions of vectors, and whether a model has collapsed onto one."""

import numpy as np


def unit(vectors: np.ndarray) -> np.ndarray:
    """Return the rows scaled to length one, float64; NaN for a zero vector."""
    vectors = np.asarray(vectors, np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def collapsed(vectors: np.ndarray, tolerance: float = 1e-6) -> bool:
    """Tell whether all vectors point (almost) the same way: 1 - |mean unit vector|² < tolerance.

    A zero vector, or one that is not finite, counts as collapsed, too.
    """
    spread = 1 - np.linalg.norm(unit(vectors).mean(0)) ** 2
    return not spread >= tolerance  # NaN is not at least the tolerance
