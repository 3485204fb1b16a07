"""RCL Eq. 1, which is also the loss of SimCSE (Gao et al. 2021, Eqs. 1 and 5) at scale 1/τ."""

from torch import Tensor

from semblance.training.batch import Views, candidates, scaled_cosines


def loss(views: Views, *, scale: float = 20.0) -> Tensor:
    """Mean over i of -log softmax_j(scale * cos(q_i, ind_j))[i]; hard negatives join the candidates."""
    logits = scaled_cosines(views.queries, candidates(views), scale)  # (B, C)
    return -logits.log_softmax(dim=1).diagonal().mean()
