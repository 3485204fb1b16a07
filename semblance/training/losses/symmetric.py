"""The contrastive loss in both directions, with 2B candidates: NT-Xent (Chen et al. 2020, Eq. 1).

Some public code of SimCSE computes this in place of its Eq. 4, such as that of note (b).
"""

import torch
from torch import Tensor

from semblance.settings import Positive
from semblance.training.batch import Batch, scaled_cosines


def loss(batch: Batch, *, scale: Positive = 20.0) -> Tensor:
    """Mean over all 2B views i of -log softmax_j(scale * cos(x_i, x_j))[the other view of i's row].

    The candidates of a view are all other views of the batch, and every row's hard negatives.
    """
    rows = len(batch.queries)
    views = torch.cat([batch.queries, batch.positives])  # (2B, d)
    logits = scaled_cosines(views, views, scale)  # (2B, 2B)
    itself = torch.eye(2 * rows, dtype=torch.bool, device=logits.device)
    # The cosine of a view with itself is 1: it would outweigh every negative.
    logits = logits.masked_fill(itself, -torch.inf)
    if batch.negatives is not None:
        logits = torch.cat([logits, scaled_cosines(views, batch.negatives, scale)], dim=1)
    log_p = logits.log_softmax(dim=1)  # (2B, C)
    # The other view of a row lies B places on, or B places back.
    of_queries = log_p[:rows, rows:].diagonal()
    of_positives = log_p[rows:].diagonal()
    return -torch.cat([of_queries, of_positives]).mean()
