"""Sentences of many lengths in one flat batch, with hardly any padding.

A random batch padded to its longest sentence is half padding. Here the sentences are sorted by
length *inside* the batch (the batch itself stays as drawn) and laid end to end; every matrix product runs over
these tokens alone. Attention works on groups of similar length, and only there is padding.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from semblance.data.corpus import Tokens

SLACK = 0.85  # a group's shortest sentence has at least this share of its longest one's tokens

# ... once it has this many. A CPU pays for the padding in attention: many groups. A GPU pays for each
# launch, of which a group costs some thirty a layer and step: few groups.
GROUP_TOKENS = {"cpu": 0, "cuda": 4096}


class Padding(NamedTuple):
    """The way of a group's t tokens to their places in attention and back, and what hides the places left over."""

    there: Tensor  # (count * length,) int64: the token of each place, counted within the group; 0 at padding
    back: Tensor  # (t,) int64: the place of each token
    real: Tensor  # (count * length, 1) bool, False at padding
    bias: Tensor  # (count, 1, 1, length): 0 for a token, -inf for padding


class Group(NamedTuple):
    """``count`` sentences from ``row`` on, ``tokens`` tokens in all, each padded to ``length`` in attention."""

    row: int
    count: int
    length: int
    tokens: int
    padding: Padding | None  # None where all are of one length


class Packed(NamedTuple):
    """A flat batch of n sentences and T tokens, without padding."""

    ids: Tensor  # (T,) int64
    positions: Tensor  # (T,) int64, from 0 within each sentence
    rows: Tensor  # (T,) int64, the packed row of each token
    lengths: Tensor  # (n,) int64 tokens of each packed row
    starts: Tensor  # (n,) int64 flat position of each packed row's first token
    order: Tensor  # (n,) int64: packed row r is the caller's sentence order[r]
    groups: tuple[Group, ...]


def cut_groups(
    lengths: Sequence[int], slack: float = SLACK, least: int = 0
) -> list[tuple[int, int]]:
    """Cut descending lengths into runs [first, last) whose shortest is at least slack * longest.

    A run of fewer than ``least`` tokens, padding included, goes on whatever its shortest is.
    """
    runs, first = [], 0
    for i, length in enumerate(lengths):
        if length < slack * lengths[first] and (i - first) * lengths[first] >= least:
            runs.append((first, i))
            first = i
    return runs + [(first, len(lengths))] if len(lengths) else []


def pack(
    tokens: Tokens, sentences: np.ndarray, max_length: int, device: str | torch.device = "cpu"
) -> Packed:
    """Pack the numbered ``sentences`` (n,), each cut to ``max_length`` tokens.

    A cut sentence keeps its last special token, as every tokenizer's own truncation does.
    """
    true = (tokens.offsets[sentences + 1] - tokens.offsets[sentences]).astype(np.int64)
    short = np.minimum(true, max_length)
    order = np.argsort(-short, kind="stable")
    lengths = short[order]
    ends = np.cumsum(lengths)
    starts = ends - lengths
    rows = np.repeat(np.arange(len(order)), lengths)
    positions = np.arange(len(rows)) - starts[rows]
    source = tokens.offsets[sentences[order]][rows] + positions
    source[ends - 1] = tokens.offsets[sentences[order] + 1] - 1
    groups = tuple(
        _group(first, lengths[first:last], device)
        for first, last in cut_groups(
            lengths.tolist(), least=GROUP_TOKENS[torch.device(device).type]
        )
    )

    def send(array: np.ndarray) -> Tensor:
        return torch.from_numpy(array).to(device)

    return Packed(
        send(tokens.ids[source].astype(np.int64)),
        send(positions),
        send(rows),
        send(lengths),
        send(starts),
        send(order),
        groups,
    )


def _group(row: int, lengths: np.ndarray, device: str | torch.device) -> Group:
    count, length, tokens = len(lengths), int(lengths[0]), int(lengths.sum())
    if tokens == count * length:
        return Group(row, count, length, tokens, None)
    real = np.arange(length) < lengths[:, None]  # (count, length)
    arrays = (
        np.where(real, np.cumsum(real).reshape(real.shape) - 1, 0).ravel(),
        np.flatnonzero(real),
        real.reshape(-1, 1),
        np.where(real, np.float32(0), np.float32(-np.inf))[:, None, None, :],
    )
    return Group(
        row,
        count,
        length,
        tokens,
        Padding(*(torch.from_numpy(array).to(device) for array in arrays)),
    )


class _Pad(torch.autograd.Function):
    """Select places; the backward selects too, where an ordinary one would add up: padding passes no gradient on."""

    @staticmethod
    def forward(ctx, x: Tensor, padding: Padding) -> Tensor:
        ctx.save_for_backward(padding.back)
        return x.index_select(0, padding.there)

    @staticmethod
    def backward(ctx, grad: Tensor) -> tuple[Tensor, None]:
        return grad.index_select(0, *ctx.saved_tensors), None


class _Unpad(torch.autograd.Function):
    """Select tokens; what stands at padding gets a gradient of zero."""

    @staticmethod
    def forward(ctx, x: Tensor, padding: Padding) -> Tensor:
        ctx.save_for_backward(padding.there, padding.real)
        return x.index_select(0, padding.back)

    @staticmethod
    def backward(ctx, grad: Tensor) -> tuple[Tensor, None]:
        there, real = ctx.saved_tensors
        return grad.index_select(0, there).mul_(real), None


def pad(x: Tensor, group: Group) -> Tensor:
    """Lay a group's flat tokens out for attention: (tokens, w) to (count * length, w)."""
    return x if group.padding is None else _Pad.apply(x, group.padding)


def unpad(x: Tensor, group: Group) -> Tensor:
    """Take the tokens back out of their places: (count * length, w) to (tokens, w)."""
    return x if group.padding is None else _Unpad.apply(x, group.padding)


def token_budget_batches(lengths: np.ndarray, budget: int) -> list[np.ndarray]:
    """Cut sentence numbers, sorted by length (longest first), into batches of about ``budget`` tokens."""
    order = np.argsort(-lengths, kind="stable")
    filled = np.cumsum(lengths[order])
    cuts = np.flatnonzero(np.diff(filled // budget)) + 1
    return [batch for batch in np.split(order, cuts) if len(batch)]
