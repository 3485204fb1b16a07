"""Alignment, uniformity and spread of embeddings (Wang and Isola 2020)."""

import numpy as np


def unit(vectors: np.ndarray) -> np.ndarray:
    """Return the rows scaled to length one, float64."""
    vectors = np.asarray(vectors, np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def alignment(left: np.ndarray, right: np.ndarray) -> float:
    """Return the mean squared distance of paired unit vectors; lower is closer."""
    return float(((unit(left) - unit(right)) ** 2).sum(1).mean())


def uniformity(vectors: np.ndarray) -> float:
    """Return log mean exp(-2 |x - y|²) over all distinct pairs of unit vectors; lower is more uniform."""
    x = unit(vectors)
    squared = np.clip(2 - 2 * x @ x.T, 0, None)
    upper = np.triu_indices(len(x), k=1)
    return float(np.log(np.exp(-2 * squared[upper]).mean()))


def collapsed(vectors: np.ndarray, tolerance: float = 1e-6) -> bool:
    """Tell whether all vectors point (almost) the same way: 1 - |mean unit vector|² < tolerance."""
    return bool(1 - np.linalg.norm(unit(vectors).mean(0)) ** 2 < tolerance)
