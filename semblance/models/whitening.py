"""Whitening: the linear map that gives embeddings the mean 0 and the covariance 1.

Su et al. 2021, Eqs. 3 to 7: y = (x - mean) W, with W = U Λ^(-1/2) for the covariance U Λ Uᵀ. A
direction in which the embeddings do not vary is mapped to 0. The last layer norm of BERT leaves
one: the differences of its outputs, divided by its gains, sum to 0.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from semblance.errors import InputError

# In shares of the largest variance and of the mean's square. Rounding errors of fp32 lie below it.
LEAST_VARIANCE = 1e-10


class Whitening(NamedTuple):
    """A fitted map of vectors of d numbers, in float64."""

    mean: np.ndarray  # (d,)
    matrix: np.ndarray  # (d, d), W

    def apply(self, vectors: np.ndarray) -> np.ndarray:
        """Map vectors (n, d) to whitened ones, (n, d) float64."""
        return (vectors - self.mean) @ self.matrix


def fit(blocks: Iterable[np.ndarray], where: str) -> Whitening:
    """Fit the whitening of all vectors of the blocks, (n, d) each.

    Raises InputError at ``where`` for too few vectors, and for vectors that are all the same.
    """
    count, mean, covariance = _moments(blocks)
    width = len(mean)
    # n vectors span n - 1 directions at most: of the others the variance would be 0.
    if count <= width:
        problem = f"{count} texts are too few to whiten vectors of {width} numbers"
        raise InputError(where, problem, "whiten on more texts")
    variances, directions = np.linalg.eigh(covariance)  # ascending
    # ASSUME such a direction carries nothing; the authors' code divides by its rounding errors
    varies = variances > LEAST_VARIANCE * (variances[-1] + mean @ mean)
    if not varies.any():
        raise InputError(where, "the vectors of its texts are all the same", "choose another base")
    scales = np.zeros(width)
    scales[varies] = 1 / np.sqrt(variances[varies])
    return Whitening(mean, directions * scales)


def _moments(blocks: Iterable[np.ndarray]) -> tuple[int, np.ndarray, np.ndarray]:
    """Return the number of vectors, their mean (d,), and their covariance (d, d).

    The sums are taken of differences from the first block's mean, so that they keep their digits.
    """
    count = 0
    centre = np.zeros(0)
    total = np.zeros(0)
    products = np.zeros((0, 0))
    for block in blocks:
        block = np.asarray(block, np.float64)
        if not count:
            width = block.shape[1]
            centre = block.mean(0)
            total = np.zeros(width)
            products = np.zeros((width, width))
        block = block - centre
        count += len(block)
        total += block.sum(0)
        products += block.T @ block
    offset = total / max(1, count)
    # Divided by n - 1, as numpy's cov, which the authors' code calls.
    covariance = (products - count * np.outer(offset, offset)) / max(1, count - 1)
    return count, centre + offset, covariance
