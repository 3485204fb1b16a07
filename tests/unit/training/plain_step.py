"""A training step without packing: each view is padded to its longest sentence, one view at a time.

It is slow and simple; tests compare the packed step with it. Its dropout is not drawn but replayed:
``Replay`` notes what a packed step drew.
"""

import math
from collections.abc import Iterator

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from semblance.data.tokens import Tokens
from semblance.models import encoder as encoder_module
from semblance.models.dropout_plan import DropoutPlan
from semblance.models.encoder import Encoder
from semblance.models.packing import Packed


class Replay:
    """Notes the dropout that one packed forward draws, and gives it out by sentence."""

    def __init__(self, monkeypatch):
        self.packed: Packed | None = None
        self.flat: list[Tensor] = []  # each dropout operation's factors, as drawn
        self.heads: list[Tensor] = []  # each layer's (rows, heads)
        forward = Encoder.forward
        dropout = encoder_module.dropout
        head_scale = DropoutPlan.head_scale

        def noted_dropout(x, rate):
            if isinstance(rate, float) and rate == 0.0:
                return x
            with torch.random.fork_rng([x.device] if x.is_cuda else []):
                self.flat.append(dropout(torch.ones_like(x, requires_grad=False), rate))
            return dropout(x, rate)  # draws the same once more

        def noted_heads(plan, heads):
            factors = head_scale(plan, heads)
            if factors is not None:
                self.heads.append(factors)
            return factors

        def noted_forward(encoder, packed, plan=None):
            self.packed = packed
            return forward(encoder, packed, plan)

        monkeypatch.setattr(encoder_module, "dropout", noted_dropout)
        monkeypatch.setattr(DropoutPlan, "head_scale", noted_heads)
        monkeypatch.setattr(Encoder, "forward", noted_forward)

    def by_sentence(self, hidden: bool, attention: bool, layers: int) -> list[dict[str, Tensor]]:
        """Return each sentence's factors, in the caller's order.

        embeddings (l, d); attention-i (h, l, l); heads-i (h,); out-i and down-i (l, d) of layer i.
        What did not drop is absent.
        """
        packed, drawn = self.packed, iter(self.flat)
        found: list[dict[str, Tensor]] = [{} for _ in packed.order]
        if hidden:
            self._tokens(found, "embeddings", next(drawn))
        for i in range(layers):
            for group in packed.groups if attention else ():
                for row, factors in enumerate(next(drawn), start=group.row):
                    length = int(packed.lengths[row])
                    own = factors[:, :length, :length]
                    found[packed.order[row]][f"attention-{i}"] = own
            for name in ("out", "down") if hidden else ():
                self._tokens(found, f"{name}-{i}", next(drawn))
            for row, number in enumerate(packed.order) if self.heads else ():
                found[number][f"heads-{i}"] = self.heads[i][row]
        # All that was drawn is given out.
        assert next(drawn, None) is None and len(self.heads) in (0, layers)
        return found

    def _tokens(self, found: list[dict[str, Tensor]], name: str, factors: Tensor) -> None:
        for row, number in enumerate(self.packed.order):
            start = int(self.packed.starts[row])
            found[number][name] = factors[start : start + int(self.packed.lengths[row])]


def token_states(
    weights: Encoder, sentences: list[list[int]], factors: list[dict[str, Tensor]]
) -> tuple[Tensor, Tensor]:
    """Return the states of one view's tokens, padded to the longest sentence, (B, L, d).

    The second tensor, (B, L), is 1 at a token and 0 at padding.
    """
    shape, longest = weights.shape, max(map(len, sentences))
    device, dtype = weights.words.weight.device, weights.words.weight.dtype
    padded = [s + [shape.pad_token_id] * (longest - len(s)) for s in sentences]
    ids = torch.tensor(padded, device=device)
    lengths = torch.tensor([len(s) for s in sentences], device=device)
    places = torch.arange(longest, device=device)
    real = (places < lengths[:, None]).to(dtype)
    n, d, h = len(sentences), shape.hidden_size, shape.num_attention_heads
    away = torch.zeros_like(real).masked_fill(real == 0, -math.inf)[:, None, None, :]

    def drop(x: Tensor, name: str) -> Tensor:
        if name not in factors[0]:
            return x
        whole = torch.ones_like(x)  # what belongs to padding does not count
        for sentence, own in enumerate(factors):
            part = own[name]
            whole[sentence][tuple(slice(size) for size in part.shape)] = part.to(x.dtype)
        return x * whole

    positions = weights.positions(places + shape.position_offset)
    x = weights.words(ids) + positions + weights.types.weight[0]
    x = drop(weights.norm(x), "embeddings")
    for i, layer in enumerate(weights.layers):
        q, k, v = (
            part.view(n, longest, h, d // h).transpose(1, 2)
            for part in layer.qkv(x).chunk(3, dim=-1)
        )
        logits = q @ k.transpose(2, 3) / math.sqrt(d // h) + away
        shares = drop(logits.softmax(dim=-1), f"attention-{i}")
        context = shares @ v  # (B, h, longest, d / h)
        if f"heads-{i}" in factors[0]:
            heads = torch.stack([own[f"heads-{i}"] for own in factors]).to(v.dtype)
            context = context * heads[:, :, None, None]
        context = context.transpose(1, 2).reshape(n, longest, d)
        x = layer.norm1(x + drop(layer.out(context), f"out-{i}"))
        x = layer.norm2(x + drop(layer.down(F.gelu(layer.up(x))), f"down-{i}"))
    return (x.float() if dtype == torch.float32 else x), real


def embed_view(
    weights: Encoder, sentences: list[list[int]], factors: list[dict[str, Tensor]]
) -> Tensor:
    """Embed one view's sentences; returns (B, d)."""
    x, real = token_states(weights, sentences, factors)
    if weights.pooling == "cls":
        pooled = x[:, 0]
    else:
        pooled = (x * real[:, :, None]).sum(1) / real.sum(1, keepdim=True)
    if weights.head is not None:
        pooled = torch.tanh(weights.head(pooled))
    return F.normalize(pooled, dim=1) if weights.normalise else pooled


def embeddings(
    weights: Encoder,
    tokens: Tokens,
    columns: list[np.ndarray],
    limit: int,
    factors: list[dict[str, Tensor]],
) -> Iterator[Tensor]:
    """Yield each view's embeddings (B, d); ``columns`` number the sentences of each view."""
    for k, numbers in enumerate(columns):
        sentences = [tokens.part(i, i + 1).ids.tolist() for i in numbers]
        cut = [s if len(s) <= limit else [*s[: limit - 1], s[-1]] for s in sentences]
        yield embed_view(weights, cut, factors[k * len(numbers) : (k + 1) * len(numbers)])
