"""What a loss sees of a batch, and what several losses compute of it."""

import math
from collections.abc import Sequence
from typing import NamedTuple, assert_never

import torch
import torch.nn.functional as F
from torch import Tensor

from semblance.errors import InputError
from semblance.settings import Reduction, Similarity


class Batch(NamedTuple):
    """The embeddings of B rows in training, (B, d) each.

    With K hard negatives a row, ``negatives`` (K B, d) holds the first of every row, then the
    second; without any it is None.
    """

    queries: Tensor
    positives: Tensor
    negatives: Tensor | None = None


def batch_of(views: Sequence[Tensor]) -> Batch:
    """Return the batch of its views, (B, d): queries, positives, any number of hard negatives."""
    queries, positives, *negatives = views
    # The first negatives of all rows, then the second: so that number i + B k is of row i.
    if len(negatives) > 1:
        negatives = [torch.cat(negatives)]
    return Batch(queries, positives, *negatives)


class Regulators(NamedTuple):
    """The frozen embeddings that N other models give the same rows, (N, B, d) each.

    With ``own`` they are those of all M rows of the corpus, (N, M, d), and ``own`` (B,) says which
    of them each row of the batch is.
    """

    queries: Tensor
    positives: Tensor
    own: Tensor | None = None


def scaled_cosines(queries: Tensor, candidates: Tensor, scale: float) -> Tensor:
    """Return scale * cos(query i, candidate j), shape (B, C)."""
    unit_queries = F.normalize(queries, dim=-1)
    unit_candidates = F.normalize(candidates, dim=-1)
    return scale * unit_queries @ unit_candidates.T


def mean_cosines(queries: Tensor, candidates: Tensor) -> Tensor:
    """Return the mean over N models of cos(query i, candidate j), (B, C), given (N, B, d), (N, C, d)."""
    return (F.normalize(queries, dim=-1) @ F.normalize(candidates, dim=-1).mT).mean(dim=0)


def scaled_similarities(
    queries: Tensor, candidates: Tensor, scale: float, similarity: Similarity
) -> Tensor:
    """Return scale * sim(query i, candidate j), shape (B, C); InputError for another similarity."""
    match similarity:
        case "cosine":
            return scaled_cosines(queries, candidates, scale)
        case "dot":
            return scale * queries @ candidates.T
        case _:
            assert_never(similarity)


def weigh_own_negatives(logits: Tensor, batch: Batch, weight: float) -> Tensor:
    """Multiply exp(logit) of each row's own hard negative by ``weight``: SimCSE Eq. 8's α.

    ``logits`` (B, B + K B): of the positives, then of the K hard negatives of each row. Raises
    InputError for a weight where the rows have no hard negatives.
    """
    if weight == 1.0:
        return logits
    if batch.negatives is None:
        raise InputError("options.hard_negative_weight", "the rows have no hard negatives")
    # exp(l + log α) = α exp(l): the weight enters the sum of the softmax, not the cosine.
    own = torch.eye(len(logits), dtype=logits.dtype, device=logits.device)  # (B, B)
    kinds = len(batch.negatives) // len(logits)
    return logits + math.log(weight) * torch.cat([torch.zeros_like(own), *[own] * kinds], dim=1)


def candidates(batch: Batch) -> Tensor:
    """Return the positives, followed by every row's hard negatives if there are any: (C, d)."""
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
            assert_never(reduction)
