"""SimCSE++ (Xu et al. 2023): negatives without dropout, and contrast between dimensions."""

import torch
import torch.nn.functional as F
from torch import Tensor

from semblance.errors import InputError
from semblance.settings import NotNegative, Positive
from semblance.training.batch import Batch, scaled_cosines


def loss(
    batch: Batch,
    *,
    scale: Positive = 20.0,
    positive_weight: Positive = 0.9,
    dimension_scale: Positive = 0.2,
    dimension_weight: NotNegative = 0.1,
) -> Tensor:
    """Mean over i of -log softmax over i's own pair and the others without dropout, and dimensions.

    The own pair's logit is m * scale * cos(q_i, p_i), with m ``positive_weight``; that of another
    row j is scale * cos(z_i, z_j). The z are the third texts of the rows: the same sentences,
    embedded without dropout. Needs ``views: thrice`` and ``dropout: {off_last: ...}``.
    The formula and the values are those of the authors' code.
    """
    full = batch.negatives
    if full is None or len(full) != len(batch.queries):
        problem = "loss 'off_dropout' needs each sentence a third time, and nothing else"
        raise InputError("views", problem, "set views: thrice")
    pairs = F.cosine_similarity(batch.queries, batch.positives, dim=-1)  # (B,)
    itself = torch.eye(len(full), dtype=torch.bool, device=full.device)
    # A text without dropout equals itself: as a negative its cosine would be 1.
    others = scaled_cosines(full, full, scale).masked_fill(itself, -torch.inf)
    logits = torch.cat([(positive_weight * scale * pairs).unsqueeze(1), others], dim=1)
    contrast = -logits.log_softmax(dim=1)[:, 0].mean()
    return contrast + dimension_weight * between_dimensions(batch, dimension_scale)


def between_dimensions(batch: Batch, scale: float) -> Tensor:
    """Mean over dimensions c of -log softmax_k(scale * corr(c of queries, k of positives))[c].

    The correlation is over the rows of the batch.
    """
    views = batch.queries, batch.positives
    one, other = (F.batch_norm(view, None, None, training=True) for view in views)
    logits = scale * one.T @ other / len(one)  # (d, d)
    return -logits.log_softmax(dim=1).diagonal().mean()
