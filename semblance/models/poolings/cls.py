"""A sentence's vector is that of its first token, [CLS] or <s>."""

from torch import Tensor

from semblance.models.packing import Packed


def pool(last: Tensor, packed: Packed) -> Tensor:
    """Take each sentence's first token: (T, d) to (n, d), in packed order."""
    return last[packed.starts]
