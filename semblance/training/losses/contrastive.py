"""RCL Eq. 1, which is also the loss of SimCSE (Gao et al. 2021, Eqs. 1 and 5) at scale 1/τ."""

from torch import Tensor

from semblance.settings import Positive
from semblance.training.batch import Batch, candidates, scaled_cosines


def loss(batch: Batch, *, scale: Positive = 20.0) -> Tensor:
    """Mean over i of -log softmax_j(scale * cos(q_i, ind_j))[i]; hard negatives join the candidates."""
    logits = scaled_cosines(batch.queries, candidates(batch), scale)  # (B, C)
    return -logits.log_softmax(dim=1).diagonal().mean()
