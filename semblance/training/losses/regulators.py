"""RCL Eq. 3: the final model, held near the frozen embeddings of N entropy models."""

import torch
import torch.nn.functional as F
from torch import Tensor

from semblance.errors import InputError
from semblance.settings import NotNegative, Positive, Reduction
from semblance.training.batch import Batch, Regulators, reduced
from semblance.training.losses.contrastive import loss as contrastive


def regulator_terms(embeddings: Tensor, regulators: Tensor, scale: float) -> Tensor:
    """Mean over i of -log softmax_k(scale * cos(x_i, Au_k^n))[i], one for each n: (N,)."""
    width, own = regulators.shape[-1], embeddings.shape[-1]
    if width != own:
        problem = f"have vectors of {width} numbers, the model of {own}"
        raise InputError("regulators", problem, "name models of one width")
    x = F.normalize(embeddings, dim=-1)  # (B, d)
    # The candidates are the batch's regulators alone: hard negatives have none (R10).
    logits = scale * x @ F.normalize(regulators, dim=-1).mT  # (N, B, B)
    return -logits.log_softmax(dim=-1).diagonal(dim1=-2, dim2=-1).mean(dim=-1)


def loss(
    batch: Batch,
    regulators: Regulators,
    *,
    scale: Positive = 20.0,
    regulator_weight: NotNegative = 1.0,
    reduction: Reduction = "sum",
) -> Tensor:
    """Eq. 1 plus the 2N regulators, summed unweighted as printed.

    The paper's numerator prints ind_j; ind_i is meant.
    """
    of_queries = regulator_terms(batch.queries, regulators.queries, scale)  # (N,)
    of_positives = regulator_terms(batch.positives, regulators.positives, scale)  # (N,)
    # Both sides are held, each near its own: the 2N terms of Eq. 3.
    terms = torch.cat([of_queries, of_positives])  # (2N,)
    return contrastive(batch, scale=scale) + regulator_weight * reduced(terms, reduction)
