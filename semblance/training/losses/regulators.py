"""RCL Eq. 3: the final model, held near the frozen embeddings of N entropy models."""

import torch
import torch.nn.functional as F
from torch import Tensor

from semblance.training.batch import Views
from semblance.training.losses.contrastive import loss as contrastive


def regulator(embeddings: Tensor, augmented: Tensor, scale: float) -> Tensor:
    """Mean over i of -log softmax_k(scale * cos(x_i, Au_k^n))[i], one for each n: (N,)."""
    logits = (
        scale * F.normalize(embeddings, dim=-1) @ F.normalize(augmented, dim=-1).mT
    )  # (N, B, B)
    return -logits.log_softmax(dim=-1).diagonal(dim1=-2, dim2=-1).mean(dim=-1)


def loss(
    views: Views, *, scale: float = 20.0, regulator_weight: float = 1.0, reduction: str = "sum"
) -> Tensor:
    """Eq. 1 plus the 2N regulators, summed unweighted as printed.

    The paper's numerator prints ind_j; ind_i is meant.
    """
    terms = torch.cat(
        [
            regulator(views.queries, views.augmented_queries, scale),
            regulator(views.positives, views.augmented_positives, scale),
        ]
    )  # (2N,)
    return contrastive(views, scale=scale) + regulator_weight * (
        terms.sum() if reduction == "sum" else terms.mean()
    )
