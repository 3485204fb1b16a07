"""How far a model's embeddings share one direction, by the argument of RCL's section 3.4.

RCL bounds the term of Eq. 4 that pushes texts of different tuples apart (Eq. 5) from below by a mean
of cosines (Eq. 6), and concludes that a training on it flattens the embeddings.
"""

from collections.abc import Iterator

import numpy as np

from semblance.evaluation.measured import StsB, TextEncoder
from semblance.figures import Row
from semblance.models.vectors import unit

COLUMNS = ("pairs", "aligned", "eq5", "eq6", "positive", "largest")
LARGEST = 0.01  # of the elements of an embedding


def rows(model: TextEncoder, data: StsB) -> Iterator[Row]:
    """Yield one row: the terms on the m pairs (q_i, ind_i) of STS-B with a gold score above 4.

    ``pairs``: m. ``aligned``: mean of cos(q_i, ind_i), the first term of Eq. 4. ``eq5`` and
    ``eq6``: their first terms. ``positive``: the share of the m² cosines above 0, which Eq. 6
    takes for almost all. ``largest``: the share of the squared length of an embedding that is in
    its largest 1 % of elements, mean over all texts.

    ASSUME the tuples are near pairs of STS-B, and the terms of the regulators, which only RCL has,
    are left out: so models with and without regulators are measured by the same terms.
    """
    left = unit(model.embed([data.left[i] for i in data.near]))
    right = unit(model.embed([data.right[i] for i in data.near]))
    cosines = left @ right.T  # (m, m)
    yield {
        "pairs": len(left),
        "aligned": float(np.diag(cosines).mean()),
        "eq5": float(np.log(np.exp(cosines).mean(axis=1)).mean()),
        "eq6": float(cosines.mean()),
        "positive": float((cosines > 0).mean()),
        "largest": share_of_largest(np.concatenate([left, right])),
    }


def share_of_largest(vectors: np.ndarray) -> float:
    """Return the mean share of the squared length in the largest 1 % of elements, at least one."""
    count = max(1, round(LARGEST * vectors.shape[1]))
    squares = np.sort(vectors**2, axis=1)[:, ::-1]  # (n, d)
    return float((squares[:, :count].sum(axis=1) / squares.sum(axis=1)).mean())
