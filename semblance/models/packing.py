"""Sentences of many lengths in one flat batch, with hardly any padding.

A random batch padded to its longest sentence is half padding. Here the sentences are sorted by
length *inside* the batch (the batch itself stays as drawn) and laid end to end; every matrix
product runs over these tokens only. Attention works on groups of similar length, and only there
is padding.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from semblance.data.tokens import Tokens

SLACK = 0.85  # a group's shortest sentence has at least this share of its longest one's tokens

# ... once the group has this many tokens. A CPU pays for the padding in attention: it wants many
# groups. A GPU pays for each launch, of which a group costs some thirty a layer: it wants few.
GROUP_TOKENS = {"cpu": 0, "cuda": 4096}
# A GPU repeats what it has recorded for batches of one shape, so a batch may be filled up to one of
# few: a whole number of PORTION tokens, or of more in a large batch, and of PLACES a sentence in
# attention. With more than FILLED_LENGTH tokens a sentence most of these would be padding, and
# whether a recorded step is then still faster has not been timed.
PORTION, PLACES, FILLED_LENGTH = 256, 32, 32


class Padding(NamedTuple):
    """How a group's t tokens go to their places in attention and back, and what is padding."""

    there: Tensor  # (count * length,) int64: the token of each place; 0 at padding
    back: Tensor  # (t,) int64: the place of each token
    real: Tensor  # (count * length, 1) bool, False at padding
    bias: Tensor  # (count, 1, 1, length): 0 for a token, -inf for padding


class Group(NamedTuple):
    """``count`` sentences from ``row`` on, each padded to ``length`` in attention."""

    row: int
    count: int
    length: int
    tokens: int  # of these sentences in the flat batch
    padding: Padding | None  # None where all are of one length

    def rows(self) -> slice:
        """Return the packed rows of the group's sentences."""
        return slice(self.row, self.row + self.count)


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
    if not len(lengths):
        return []
    runs = []
    first = 0
    for i, length in enumerate(lengths):
        large_enough = (i - first) * lengths[first] >= least
        if length < slack * lengths[first] and large_enough:
            runs.append((first, i))
            first = i
    return [*runs, (first, len(lengths))]


def pack(
    tokens: Tokens,
    sentences: np.ndarray,
    max_length: int,
    device: str | torch.device = "cpu",
    mask_token: int | None = None,
    filled: bool = False,
) -> Packed:
    """Pack the numbered ``sentences`` (n,), each cut to ``max_length`` tokens.

    A cut sentence keeps its last special token, as every tokenizer's own truncation does. With a
    ``mask_token`` each sentence has this token more, before its last one. A ``filled`` batch has some
    sentences of token 0 more, at the end, and all its sentences are one group.
    """
    whole = (tokens.offsets[sentences + 1] - tokens.offsets[sentences]).astype(np.int64)
    if mask_token is not None:
        whole += 1
    cut = np.minimum(whole, max_length)
    order = np.argsort(-cut, kind="stable")
    lengths = cut[order]
    starts, rows, positions = _places(lengths)
    ends = starts + lengths
    source = tokens.offsets[sentences[order]][rows] + positions
    source[ends - 1] = tokens.offsets[sentences[order] + 1] - 1  # the last, special token
    ids = tokens.ids[source].astype(np.int64)
    if mask_token is not None:
        ids[ends - 2] = mask_token
    if not filled:
        groups = _groups(lengths, device)
    else:
        more = _filling(lengths)
        order = np.concatenate([order, len(order) + np.arange(len(more))])
        ids = np.concatenate([ids, np.zeros(more.sum(), ids.dtype)])
        longest = PLACES * math.ceil(lengths[0] / PLACES)
        lengths = np.concatenate([lengths, more])
        starts, rows, positions = _places(lengths)
        groups = (_group(0, lengths, longest, device),)
    arrays = (ids, positions, rows, lengths, starts, order)
    return Packed(*(_send(array, device) for array in arrays), groups)


def _places(lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return where each sentence starts, (n,), and each token's row and position in it, (T,)."""
    starts = np.cumsum(lengths) - lengths
    rows = np.repeat(np.arange(len(lengths)), lengths)
    return starts, rows, np.arange(len(rows)) - starts[rows]


def _filling(lengths: np.ndarray) -> np.ndarray:
    """Return the tokens of each sentence, (k,), that fills a batch up to a whole number of portions.

    ``k`` depends on the portion alone, so that batches of as many tokens have as many sentences.
    """
    tokens = int(lengths.sum())
    portion = max(PORTION, (1 << tokens.bit_length()) >> 4)  # at least a sixteenth of all
    count = math.ceil((portion - 1) / (PLACES - 1))  # so that none has more tokens than places
    rest = portion * math.ceil((tokens + count) / portion) - tokens
    return rest // count + (np.arange(count) < rest % count)


def _send(array: np.ndarray, device: str | torch.device) -> Tensor:
    return torch.from_numpy(array).to(device)


def _groups(lengths: np.ndarray, device: str | torch.device) -> tuple[Group, ...]:
    least = GROUP_TOKENS[torch.device(device).type]
    return tuple(
        _group(first, lengths[first:last], int(lengths[first]), device)
        for first, last in cut_groups(lengths.tolist(), least=least)
    )


def _group(row: int, lengths: np.ndarray, longest: int, device: str | torch.device) -> Group:
    tokens = int(lengths.sum())
    padding = None
    if tokens < len(lengths) * longest:
        padding = _padding(lengths, longest, device)
    return Group(row, len(lengths), longest, tokens, padding)


def _padding(lengths: np.ndarray, longest: int, device: str | torch.device) -> Padding:
    real = np.arange(longest) < lengths[:, None]  # (count, length)
    token = np.cumsum(real).reshape(real.shape) - 1
    bias = np.where(real, np.float32(0), np.float32(-np.inf))
    arrays = Padding(
        there=np.where(real, token, 0).ravel(),
        back=np.flatnonzero(real),
        real=real.reshape(-1, 1),
        bias=bias[:, None, None, :],
    )
    return Padding(*(_send(array, device) for array in arrays))


class _Pad(torch.autograd.Function):
    """Select the token of each place.

    The backward selects too, where an ordinary one would add up: padding passes no gradient on.
    """

    @staticmethod
    def forward(ctx, x: Tensor, padding: Padding) -> Tensor:
        """(tokens, w) to (count * length, w)."""
        ctx.save_for_backward(padding.back)
        return x.index_select(0, padding.there)

    @staticmethod
    def backward(ctx, grad: Tensor) -> tuple[Tensor, None]:
        """Return the gradient of the tokens, (tokens, w)."""
        (back,) = ctx.saved_tensors
        return grad.index_select(0, back), None


class _Unpad(torch.autograd.Function):
    """Select the place of each token; what stands at padding gets a gradient of zero."""

    @staticmethod
    def forward(ctx, x: Tensor, padding: Padding) -> Tensor:
        """Map (count * length, w) to (tokens, w)."""
        ctx.save_for_backward(padding.there, padding.real)
        return x.index_select(0, padding.back)

    @staticmethod
    def backward(ctx, grad: Tensor) -> tuple[Tensor, None]:
        """Return the gradient of the places, (count * length, w)."""
        there, real = ctx.saved_tensors
        return grad.index_select(0, there).mul_(real), None


def pad(x: Tensor, group: Group) -> Tensor:
    """Lay a group's flat tokens out for attention: (tokens, w) to (count * length, w)."""
    if group.padding is None:
        return x
    return _Pad.apply(x, group.padding)


def unpad(x: Tensor, group: Group) -> Tensor:
    """Take the tokens back out of their places: (count * length, w) to (tokens, w)."""
    if group.padding is None:
        return x
    return _Unpad.apply(x, group.padding)


def token_budget_batches(lengths: np.ndarray, budget: int) -> list[np.ndarray]:
    """Cut sentence numbers, longest first, into batches of about ``budget`` tokens.

    A sentence with which the sum of tokens passes a multiple of the budget begins a batch.
    """
    order = np.argsort(-lengths, kind="stable")
    filled = np.cumsum(lengths[order])
    cuts = np.flatnonzero(np.diff(filled // budget)) + 1
    return [batch for batch in np.split(order, cuts) if len(batch)]
