"""A sentence's vector is the checkpoint's own pooler: a linear layer and tanh over [CLS].

BERT has trained this layer to tell whether two sentences follow each other (Devlin et al. 2019).
"""

import torch
from torch import Tensor, nn

from semblance.models.packing import Packed


def pool(last: Tensor, packed: Packed, pooler: nn.Linear) -> Tensor:
    """Map each sentence's first token by the pooler: (T, d) to (n, d), in packed order."""
    return torch.tanh(pooler(last[packed.starts])).float()
