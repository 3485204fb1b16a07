"""Eq. 1 in which near negatives count more (Lan et al. 2025, LLaVE, Eq. 5)."""

import torch
from torch import Tensor

from semblance.settings import NotNegative, Positive
from semblance.training.batch import Batch, candidates, scaled_cosines


def loss(batch: Batch, *, scale: Positive = 20.0, hardness: NotNegative = 9.0) -> Tensor:
    """Mean over i of -log softmax_j(scale * cos(q_i, ind_j) + hardness * cos(q_i, ind_j))[i].

    The second term is absent of the own pair, and a constant: each negative has the weight
    exp(hardness * cos), through which no gradient flows. Hard negatives are candidates.
    """
    cosines = scaled_cosines(batch.queries, candidates(batch), 1.0)  # (B, C)
    own = torch.eye(*cosines.shape, dtype=torch.bool, device=cosines.device)
    weights = hardness * cosines.detach().masked_fill(own, 0)
    return -(scale * cosines + weights).log_softmax(dim=1).diagonal().mean()
