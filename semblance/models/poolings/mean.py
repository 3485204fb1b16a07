"""A sentence's vector is the mean of its tokens' vectors in the last layer ("last average")."""

import torch
from torch import Tensor

from semblance.models.packing import Packed


def pool(last: Tensor, packed: Packed) -> Tensor:
    """Average each sentence's tokens: (T, d) to (n, d), in packed order."""
    # All tokens count, [CLS] and [SEP] too (S23).
    sums = torch.zeros(len(packed.order), last.shape[1], device=last.device)
    return sums.index_add(0, packed.rows, last) / packed.lengths[:, None]
