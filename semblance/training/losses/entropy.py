"""RCL Eq. 2: the entropy models, one for each φ."""

import torch
from torch import Tensor

from semblance.settings import Positive, Reduction
from semblance.training.batch import Batch, candidates, reduced, scaled_cosines


def loss(
    batch: Batch,
    *,
    scale: Positive = 20.0,
    phi: float,
    reduction: Reduction = "mean",
    include_positive: bool = False,
    hard_negatives_in_entropy: bool = True,
) -> Tensor:
    """Eq. 1 - φ * sum over j != i of p_ij log p_ij, with p_ij the softmax of Eq. 1.

    ``reduction`` is that of the entropy term over the batch: ``mean``, as printed, or ``sum`` (φ
    then acts B times stronger).
    """
    rows = len(batch.queries)
    log_p = scaled_cosines(batch.queries, candidates(batch), scale).log_softmax(dim=1)  # (B, C)
    terms = log_p.exp() * log_p  # (B, C)
    if not include_positive:  # ASSUME: "i != j" leaves j = i out of the sum, not out of the softmax
        diagonal = torch.eye(*terms.shape, dtype=torch.bool, device=terms.device)
        terms = terms.masked_fill(diagonal, 0.0)
    # They leave the sum of Eq. 2 alone, and stay candidates of the softmax (R3).
    if not hard_negatives_in_entropy:
        terms = terms[:, :rows]
    negative_entropy = terms.sum(dim=1)  # (B,)
    # p log p is below 0: by the minus of Eq. 2 a positive φ lowers the entropy (R4: any sign).
    return -log_p.diagonal().mean() - phi * reduced(negative_entropy, reduction)
