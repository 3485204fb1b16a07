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
from semblance.errors import InputError

SLACK = 0.85  # a group's shortest sentence has at least this share of its longest one's tokens

# ... once the group has this many tokens. A CPU pays for the padding in attention: it wants many
# groups. A GPU pays for each launch, of which a group costs some thirty a layer: it wants few.
GROUP_TOKENS = {"cpu": 0, "cuda": 4096}
# A GPU repeats what it has recorded for batches of one shape, so a batch may be filled up to one of
# few: a whole number of PORTION tokens, or of more in a large batch, and of PLACES a sentence in
# attention. There the longest eighth of the sentences is a group and the rest another one: with one
# group for all, 82 % of the places of NLI's batches at 75 tokens are padding, with two 61 %. Whether
# a recorded step is faster with more than FILLED_LENGTH tokens a sentence has not been timed.
PORTION, PLACES, LONGEST, FILLED_LENGTH = 256, 32, 1 / 8, 96


class Padding(NamedTuple):
    """How T tokens go to their P places in attention and back, and what is padding."""

    there: Tensor  # (P,) int64: the token of each place; 0 at padding
    back: Tensor  # (T,) int64: the place of each token
    real: Tensor  # (P, 1) bool, False at padding


class Group(NamedTuple):
    """``count`` sentences from ``row`` on, each padded to ``length`` in attention."""

    row: int
    count: int
    length: int
    bias: Tensor | None  # (count, 1, 1, length): 0 for a token, -inf for padding; None without it

    @property
    def places(self) -> int:
        """How many places the group has."""
        return self.count * self.length

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
    padding: Padding | None  # None where each token has the place of its own number
    groups: tuple[Group, ...]

    def count_positions(self, padding: int) -> Tensor:
        """Number the tokens of each sentence as RoBERTa does, (T,) int64.

        Those that are not ``padding`` count from padding + 1 on; one that is, wherever it stands, has
        the position ``padding``. Source: transformers, create_position_ids_from_input_ids.
        """
        counts = (self.ids != padding).long()
        before = counts.cumsum(0) - counts  # in all of the batch; exact, since whole numbers
        return (before - before[self.starts][self.rows] + 1) * counts + padding


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
    sentences of token 0 more, at the end, and at most two groups. InputError for a text of no tokens.
    """
    whole = (tokens.offsets[sentences + 1] - tokens.offsets[sentences]).astype(np.int64)
    if not whole.all():
        problem = "makes no token of a text, and puts none around it"
        raise InputError("the tokenizer", problem, "leave empty texts out, or choose another model")
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
    if filled:
        more = _filling(lengths)
        order = np.concatenate([order, len(order) + np.arange(len(more))])
        ids = np.concatenate([ids, np.zeros(more.sum(), ids.dtype)])
        lengths = np.concatenate([lengths, more])
        starts, rows, positions = _places(lengths)
        runs = _fixed_runs(lengths)
    else:
        least = GROUP_TOKENS[torch.device(device).type]
        cuts = cut_groups(lengths.tolist(), least=least)
        runs = [(first, last, int(lengths[first])) for first, last in cuts]
    groups = tuple(
        _group(first, lengths[first:last], longest, device) for first, last, longest in runs
    )
    padding = None
    if any(group.bias is not None for group in groups):
        padding = _padding(groups, rows, positions, device)
    arrays = (ids, positions, rows, lengths, starts, order)
    return Packed(*(send(array, device) for array in arrays), padding, groups)


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


def _fixed_runs(lengths: np.ndarray) -> list[tuple[int, int, int]]:
    """Cut a filled batch into its longest sentences and the rest: first, last, places a sentence.

    Where it is cut depends on the number of sentences alone. Two groups of as many places are one.
    """
    count = len(lengths)
    cut = math.ceil(count * LONGEST)
    longest, other = (PLACES * math.ceil(lengths[i] / PLACES) for i in (0, cut))
    return [(0, count, longest)] if other == longest else [(0, cut, longest), (cut, count, other)]


def send(array: np.ndarray, device: str | torch.device) -> Tensor:
    """Return an array on a device. A GPU that still works at a step is not waited for."""
    tensor = torch.from_numpy(array)
    if torch.device(device).type != "cuda":
        return tensor.to(device)
    return tensor.pin_memory().to(device, non_blocking=True)


def _group(row: int, lengths: np.ndarray, longest: int, device: str | torch.device) -> Group:
    bias = None
    if lengths.min() < longest:
        is_token = np.arange(longest) < lengths[:, None]  # (count, length)
        bias = send(np.where(is_token, np.float32(0), np.float32(-np.inf))[:, None, None], device)
    return Group(row, len(lengths), longest, bias)


def _padding(
    groups: Sequence[Group], rows: np.ndarray, positions: np.ndarray, device: str | torch.device
) -> Padding:
    """Return the places of tokens, each of which is known by its row and its position there."""
    length = np.concatenate([np.full(group.count, group.length) for group in groups])  # (n,)
    first = np.cumsum(length) - length
    back = first[rows] + positions
    there = np.zeros(length.sum(), np.int64)
    there[back] = np.arange(len(back))
    real = np.zeros((len(there), 1), bool)
    real[back] = True
    return Padding(send(there, device), send(back, device), send(real, device))


class _Pad(torch.autograd.Function):
    """Select the token of each place.

    The backward selects too, where an ordinary one would add up: padding passes no gradient on.
    """

    @staticmethod
    def forward(ctx, x: Tensor, padding: Padding) -> Tensor:
        """(T, w) to (P, w)."""
        ctx.save_for_backward(padding.back)
        return x.index_select(0, padding.there)

    @staticmethod
    def backward(ctx, grad: Tensor) -> tuple[Tensor, None]:
        """Return the gradient of the tokens, (T, w)."""
        (back,) = ctx.saved_tensors
        return grad.index_select(0, back), None


class _Unpad(torch.autograd.Function):
    """Select the place of each token; what stands at padding gets a gradient of zero."""

    @staticmethod
    def forward(ctx, x: Tensor, padding: Padding) -> Tensor:
        """Map (P, w) to (T, w)."""
        ctx.save_for_backward(padding.there, padding.real)
        return x.index_select(0, padding.back)

    @staticmethod
    def backward(ctx, grad: Tensor) -> tuple[Tensor, None]:
        """Return the gradient of the places, (P, w)."""
        there, real = ctx.saved_tensors
        return grad.index_select(0, there).mul_(real), None


def pad(x: Tensor, padding: Padding | None) -> Tensor:
    """Lay flat tokens out for attention, group after group: (T, w) to (P, w)."""
    return x if padding is None else _Pad.apply(x, padding)


def unpad(x: Tensor, padding: Padding | None) -> Tensor:
    """Take the tokens back out of their places: (P, w) to (T, w)."""
    return x if padding is None else _Unpad.apply(x, padding)


def token_budget_batches(lengths: np.ndarray, budget: int) -> list[np.ndarray]:
    """Cut sentence numbers, longest first, into batches of about ``budget`` tokens.

    A sentence with which the sum of tokens passes a multiple of the budget begins a batch.
    """
    order = np.argsort(-lengths, kind="stable")
    filled = np.cumsum(lengths[order])
    cuts = np.flatnonzero(np.diff(filled // budget)) + 1
    return [batch for batch in np.split(order, cuts) if len(batch)]
