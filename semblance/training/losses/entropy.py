"""RCL Eq. 2: the entropy models, one for each φ."""

import torch
from torch import Tensor

from semblance.training.batch import Views, candidates, scaled_cosines


def loss(
    views: Views,
    *,
    scale: float = 20.0,
    phi: float,
    reduction: str = "mean",
    include_positive: bool = False,
    hard_negatives_in_entropy: bool = True,
) -> Tensor:
    """Eq. 1 - φ * sum over j != i of p_ij log p_ij, with p_ij the softmax of Eq. 1.

    ``reduction`` is that of the entropy term over the batch: ``mean``, as printed, or ``sum`` (φ
    then acts B times stronger).
    """
    rows = len(views.queries)
    log_p = scaled_cosines(views.queries, candidates(views), scale).log_softmax(dim=1)  # (B, C)
    terms = log_p.exp() * log_p  # (B, C)
    if not include_positive:  # ASSUME: "i != j" leaves j = i out of the sum, not out of the softmax
        terms = terms.masked_fill(
            torch.eye(*terms.shape, dtype=torch.bool, device=terms.device), 0.0
        )
    if not hard_negatives_in_entropy:
        terms = terms[:, :rows]
    entropy = terms.sum(dim=1)  # (B,)
    return -log_p.diagonal().mean() - phi * (
        entropy.mean() if reduction == "mean" else entropy.sum()
    )
