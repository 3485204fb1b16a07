"""The singular values of the matrix of STS-B's sentence embeddings (SimCSE, Figure F.1)."""

from collections.abc import Iterator

import numpy as np

from semblance.evaluation.measured import StsB, TextEncoder
from semblance.figures import Row

COLUMNS = ("position", "singular_value", "relative")


def rows(model: TextEncoder, data: StsB) -> Iterator[Row]:
    """Yield one row for each singular value, the largest first.

    ``relative`` is the value as a share of the largest. ASSUME the matrix has one row for each
    distinct sentence of the test pairs, neither centred nor normalised.
    """
    values = singular_values(model.embed(data.sentences))
    for position, value in enumerate(values.tolist(), start=1):
        yield {
            "position": position,
            "singular_value": value,
            "relative": value / float(values[0]),
        }


def singular_values(matrix: np.ndarray) -> np.ndarray:
    """Return the singular values of a matrix (n, d) in float64, the largest first."""
    return np.linalg.svd(np.asarray(matrix, np.float64), compute_uv=False)
