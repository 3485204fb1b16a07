"""RCL Eq. 1, which is also the loss of SimCSE (Gao et al. 2021, Eqs. 1, 5 and 8) at scale 1/τ."""

from torch import Tensor

from semblance.settings import Positive, Similarity
from semblance.training.batch import Batch, candidates, scaled_similarities, weigh_own_negatives


def loss(
    batch: Batch,
    *,
    scale: Positive = 20.0,
    similarity: Similarity = "cosine",
    hard_negative_weight: Positive = 1.0,
) -> Tensor:
    """Mean over i of -log softmax_j(scale * sim(q_i, ind_j))[i]; hard negatives are candidates.

    ``hard_negative_weight``: α of SimCSE's Eq. 8. The released code adds a number to the logit of
    the row's own hard negative instead: ln α.
    """
    logits = scaled_similarities(batch.queries, candidates(batch), scale, similarity)  # (B, C)
    logits = weigh_own_negatives(logits, batch, hard_negative_weight)
    return -logits.log_softmax(dim=1).diagonal().mean()
