"""RankCSE with ListNet (Liu et al. 2023, Section 4): in which order a teacher ranks the batch."""

import torch
from torch import Tensor

from semblance.settings import NotNegative, Positive
from semblance.training.batch import Batch, Regulators, mean_cosines, scaled_cosines
from semblance.training.losses.contrastive import loss as contrastive


def loss(
    batch: Batch,
    regulators: Regulators,
    *,
    scale: Positive = 20.0,
    student_scale: Positive = 20.0,
    teacher_scale: Positive = 40.0,
    consistency_weight: NotNegative = 1.0,
    ranking_weight: NotNegative = 1.0,
) -> Tensor:
    """Eq. 1 of SimCSE, plus ranking consistency, plus ranking distillation.

    Consistency: the Jensen-Shannon divergence of softmax_j(scale * cos(q_i, p_j)) and
    softmax_j(scale * cos(p_i, q_j)). Distillation: the cross entropy of the student's softmax over
    j != i from the teachers', whose cosines, of vectors of any width, count by their mean.
    """
    logits = scaled_cosines(batch.queries, batch.positives, scale)  # (B, B)
    ways = torch.stack([logits, logits.T]).log_softmax(dim=-1)  # (2, B, B)
    # Where both probabilities vanish, 0 times the logarithm of 0 would be NaN.
    middle = ways.exp().mean(dim=0).clamp_min(torch.finfo(ways.dtype).tiny).log()
    consistency = (ways.exp() * (ways - middle)).sum(dim=-1).mean()
    # ASSUME: a row's own pair is left out of both lists: it would outweigh all others.
    own = torch.eye(len(logits), dtype=torch.bool, device=logits.device)
    taught = teacher_scale * mean_cosines(regulators.queries, regulators.positives)
    taught = taught.masked_fill(own, -torch.inf).softmax(dim=1)  # (B, B)
    learned = student_scale * logits / scale
    # Afterwards 0, not -inf: its product with the teacher's share, 0, would be NaN.
    learned = learned.masked_fill(own, -torch.inf).log_softmax(dim=1).masked_fill(own, 0.0)
    distillation = -(taught * learned).sum(dim=1).mean()
    first = contrastive(batch, scale=scale)
    return first + consistency_weight * consistency + ranking_weight * distillation
