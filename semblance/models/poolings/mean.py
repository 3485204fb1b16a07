"""A sentence's vector is the mean of its tokens' vectors."""

import torch
from torch import Tensor

from semblance.models.packing import Packed


def pool(x: Tensor, packed: Packed) -> Tensor:
    """Average each sentence's tokens: (T, d) to (n, d), in packed order."""
    sums = torch.zeros(len(packed.order), x.shape[1], device=x.device)
    return sums.index_add(0, packed.rows, x) / packed.lengths[:, None]
