"""A sentence's vector is the mean of its tokens' vectors, averaged over first and last layer.

The first layer is the transformer's first, as in SimCSE's released code ("first-last avg.",
Table 6). ``static_last`` takes the embedding layer in its place.
"""

from torch import Tensor

from semblance.models.packing import Packed
from semblance.models.poolings import mean


def pool(last: Tensor, packed: Packed, first: Tensor) -> Tensor:
    """Average both layers and each sentence's tokens: twice (T, d) to (n, d), in packed order."""
    return mean.pool((first + last) / 2, packed)
