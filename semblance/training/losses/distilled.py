"""DistillCSE (Xu et al. 2023): SimCSE, taught the similarities that other SimCSE models find."""

import math

import torch
from torch import Tensor

from semblance.settings import NotNegative, Positive, Share
from semblance.training.batch import Batch, Regulators, mean_cosines, scaled_cosines
from semblance.training.losses.contrastive import loss as contrastive


def loss(
    batch: Batch,
    regulators: Regulators,
    *,
    scale: Positive = 20.0,
    student_scale: Positive = 50.0,
    teacher_scale: Positive = 100.0,
    distillation_weight: NotNegative = 1.0,
    interval: Share = 0.1,
) -> Tensor:
    """Eq. 3: Eq. 1 of SimCSE plus the weighed distillation of Eq. 2.

    Distillation: the mean over i of the cross entropy of the student's softmax over j != i from the
    teachers'. A logit is the cosine of two queries; those of the teachers, whose vectors may have
    any width, count by their mean (Eq. 7) and are shuffled within groups (``interval``, p of Eq. 6;
    0 shuffles none).
    """
    own = torch.eye(len(batch.queries), dtype=torch.bool, device=batch.queries.device)
    taught = mean_cosines(regulators.queries, regulators.queries).masked_fill(own, -torch.inf)
    if interval:
        taught = shuffled(taught, interval)
    taught = (teacher_scale * taught).softmax(dim=1)  # (B, B)
    learned = scaled_cosines(batch.queries, batch.queries, student_scale)
    # Afterwards 0, not -inf: its product with the teacher's share, 0, would be NaN.
    learned = learned.masked_fill(own, -torch.inf).log_softmax(dim=1).masked_fill(own, 0.0)
    # ASSUME: the mean over the rows, as the authors' code has it; Eq. 2 prints a sum.
    distillation = -(taught * learned).sum(dim=1).mean()
    return contrastive(batch, scale=scale) + distillation_weight * distillation


def shuffled(logits: Tensor, interval: float) -> Tensor:
    """Exchange the logits of each row at random within groups: Group-P shuffling (Eqs. 5 and 6).

    ``logits`` (B, B) are -inf on the diagonal, and stay so. A logit's G is the sum of the softmax of
    all logits that are as large or larger (no temperature). Those whose G lies in the same interval
    of width p are a group.
    """
    falling, order = logits.sort(dim=1, descending=True)
    # A product in place of cumsum, which is not deterministic on a GPU.
    sums = torch.ones_like(logits, dtype=torch.float64).triu()
    reached = falling.double().softmax(dim=1) @ sums  # (B, B): G
    # The sum reaches 1 with the last text, which would else be a group of its own.
    groups = (reached / interval).floor().clamp(max=math.ceil(1 / interval) - 1)
    groups[:, -1] = torch.inf  # the row's own
    exchanged = (groups + torch.rand_like(groups)).argsort(dim=1)
    # Logit k goes to the text of exchanged[k]; the last argsort inverts that.
    return falling.gather(1, order.gather(1, exchanged).argsort(dim=1))
