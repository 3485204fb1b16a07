"""Alignment and uniformity of embeddings (Wang and Isola 2020)."""

import numpy as np

from semblance.models.vectors import unit

NEAR = 4.0  # alignment is measured on STS-B pairs with a gold score above this (SimCSE, section 3)


def alignment(left: np.ndarray, right: np.ndarray) -> float:
    """Return the mean squared distance of paired unit vectors; lower is closer."""
    return float(((unit(left) - unit(right)) ** 2).sum(1).mean())


def uniformity(vectors: np.ndarray) -> float:
    """Return log mean exp(-2 |x - y|²) over all distinct pairs of unit vectors; lower is more uniform."""
    x = unit(vectors)
    squared = np.clip(2 - 2 * x @ x.T, 0, None)
    upper = np.triu_indices(len(x), k=1)
    return float(np.log(np.exp(-2 * squared[upper]).mean()))
