"""What a loss sees of a batch, and what several losses compute of it."""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from semblance.settings import Reduction, unknown_word


class Batch(NamedTuple):
    """The embeddings of B rows in training, (B, d) each; without hard negatives ``negatives`` is None."""

    queries: Tensor
    positives: Tensor
    negatives: Tensor | None = None


class Regulators(NamedTuple):
    """The frozen embeddings that N entropy models give the same rows, (N, B, d) each."""

    queries: Tensor
    positives: Tensor


def scaled_cosines(queries: Tensor, candidates: Tensor, scale: float) -> Tensor:
    """Return scale * cos(query i, candidate j), shape (B, C)."""
    unit_queries = F.normalize(queries, dim=-1)
    unit_candidates = F.normalize(candidates, dim=-1)
    return scale * unit_queries @ unit_candidates.T


def candidates(batch: Batch) -> Tensor:
    """Return the positives, followed by every row's hard negative if there are any: (B or 2B, d)."""
    if batch.negatives is None:
        return batch.positives
    return torch.cat([batch.positives, batch.negatives])


def reduced(terms: Tensor, reduction: Reduction) -> Tensor:
    """Return the mean or the sum of all terms, a scalar; InputError for another reduction."""
    match reduction:
        case "mean":
            return terms.mean()
        case "sum":
            return terms.sum()
        case _:
            raise unknown_word("reduction", reduction, Reduction)
