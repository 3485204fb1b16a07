"""A sentence's vector is the mean of its tokens' vectors, averaged over embeddings and last layer.

The embeddings are what the first layer reads: of words, positions and types, after layer norm. Some
papers call this "first-last" (BERT-flow, BERT-whitening). ``first_last`` takes the first layer in
their place.
"""

from torch import Tensor

from semblance.models.packing import Packed
from semblance.models.poolings import mean


def pool(last: Tensor, packed: Packed, embeddings: Tensor) -> Tensor:
    """Average both layers and each sentence's tokens: twice (T, d) to (n, d), in packed order."""
    return mean.pool((embeddings + last) / 2, packed)
