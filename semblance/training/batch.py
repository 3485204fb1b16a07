"""What a loss sees of a batch, and the scaled cosines that all of them start from."""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor


class Views(NamedTuple):
    """Embeddings of a batch of B rows: (B, d) each; augmented ones (N, B, d), frozen."""

    queries: Tensor
    positives: Tensor
    negatives: Tensor | None = None
    augmented_queries: Tensor | None = None
    augmented_positives: Tensor | None = None


def scaled_cosines(queries: Tensor, candidates: Tensor, scale: float) -> Tensor:
    """Return scale * cos(query i, candidate j), shape (B, C)."""
    return scale * F.normalize(queries, dim=-1) @ F.normalize(candidates, dim=-1).T


def candidates(views: Views) -> Tensor:
    """Return the positives, followed by every row's hard negative if there are any: (B or 2B, d)."""
    return (
        views.positives
        if views.negatives is None
        else torch.cat([views.positives, views.negatives])
    )
