"""Vectors of several poolings, all of them from one forward pass."""

from collections.abc import Sequence

import numpy as np
import torch

from semblance.data.tokens import Tokens
from semblance.models.compute import autocast
from semblance.models.encoder import ENCODE_TOKENS, Encoder, find_pooling
from semblance.models.packing import pack, token_budget_batches


class Poolings:
    """An encoder read by several poolings; those that need a mask token cannot be among them."""

    def __init__(self, encoder: Encoder, names: Sequence[str]):
        self.encoder = encoder
        self.found = {name: find_pooling(name) for name in names}
        reads = frozenset().union(*(reads for _, reads in self.found.values()))
        if "masks" in reads:
            raise ValueError("a pooling of a mask token needs a forward pass of its own")
        encoder.reads = reads

    @torch.no_grad()
    def encode(self, tokens: Tokens, max_length: int) -> dict[str, np.ndarray]:
        """Embed every text in evaluation mode; returns (N, d) float32 for each pooling."""
        encoder = self.encoder
        device = encoder.words.weight.device
        limit = encoder.max_length(max_length)
        lengths = np.minimum(tokens.lengths(), limit)
        size = (len(lengths), encoder.shape.hidden_size)
        vectors = {name: np.empty(size, dtype=np.float32) for name in self.found}
        with autocast(encoder.precision, device.type):
            for batch in token_budget_batches(lengths, ENCODE_TOKENS[device.type]):
                packed = pack(tokens, batch, limit, device)
                rows = batch[packed.order.cpu().numpy()]
                read = {"pooler": getattr(encoder, "pooler", None)}
                last = encoder.token_states(packed, read=read).float()
                for name, (pool, reads) in self.found.items():
                    pooled = pool(last, packed, **{what: read[what] for what in reads})
                    vectors[name][rows] = pooled.float().cpu().numpy()
        return vectors


def distinct(tokens: Tokens) -> tuple[Tokens, np.ndarray]:
    """Return each text once, and for each given text its number among these, (N,).

    Texts with the same tokens are one: to a model that lower-cases, two spellings may be.
    """
    numbers: dict[bytes, int] = {}
    kept = []
    place = []
    for i, (start, end) in enumerate(zip(tokens.offsets[:-1], tokens.offsets[1:], strict=True)):
        ids = tokens.ids[start:end]
        number = numbers.setdefault(ids.tobytes(), len(numbers))
        place.append(number)
        if number == len(kept):
            kept.append(i)
    parts = [tokens.ids[tokens.offsets[i] : tokens.offsets[i + 1]] for i in kept]
    offsets = np.concatenate([[0], np.cumsum([len(ids) for ids in parts])]).astype(np.int64)
    return Tokens(np.concatenate([tokens.ids[:0], *parts]), offsets), np.array(place, dtype=int)
