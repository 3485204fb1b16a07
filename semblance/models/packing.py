"""Sentences of many lengths in one flat batch, with hardly any padding.

A random batch padded to its longest sentence is half padding. Here the sentences are sorted by
length *inside* the batch (the batch itself stays as drawn) and cut into groups of similar length;
only inside a group is there padding, and every matrix product runs over the flat tokens.
"""

from typing import NamedTuple, Sequence

import numpy as np
import torch
from torch import Tensor

from semblance.data.corpus import Tokens

SLACK = 0.85  # a group's shortest sentence has at least this share of its longest one's tokens
# ... once it has this many tokens. Each group costs a GPU some thirty launches a layer and step, which takes longer than
# a few thousand tokens of padding; a CPU pays for each token.
GROUP_TOKENS = {"cpu": 0, "cuda": 4096}


class Group(NamedTuple):
    """``count`` sentences from ``row`` on, each padded to ``length``, from flat token ``start`` on."""

    row: int
    count: int
    length: int
    start: int
    bias: Tensor | None  # (count, 1, 1, length): 0 for a token, -inf for padding; None if no padding


class Packed(NamedTuple):
    """A flat batch of n sentences and T tokens (padding inside the groups included)."""

    ids: Tensor        # (T,) int64
    positions: Tensor  # (T,) int64, from 0 within each sentence
    rows: Tensor       # (T,) int64, the packed row of each token
    real: Tensor       # (T,) bool, False for padding
    lengths: Tensor    # (n,) int64 tokens of each packed row
    starts: Tensor     # (n,) int64 flat position of each packed row's first token
    order: Tensor      # (n,) int64: packed row r is the caller's sentence order[r]
    groups: tuple[Group, ...]


def cut_groups(lengths: Sequence[int], slack: float = SLACK, least: int = 0) -> list[tuple[int, int]]:
    """Cut descending lengths into runs [first, last) whose shortest is at least slack * longest.

    A run of fewer than ``least`` tokens, padding included, goes on whatever its shortest is.
    """
    runs, first = [], 0
    for i, length in enumerate(lengths):
        if length < slack * lengths[first] and (i - first) * lengths[first] >= least:
            runs.append((first, i))
            first = i
    return runs + [(first, len(lengths))] if len(lengths) else []


def pack(tokens: Tokens, sentences: np.ndarray, max_length: int, pad: int, device: str | torch.device = "cpu") -> Packed:
    """Pack the numbered ``sentences`` (n,), each cut to ``max_length`` tokens.

    A cut sentence keeps its last special token, as every tokenizer's own truncation does.
    """
    true = (tokens.offsets[sentences + 1] - tokens.offsets[sentences]).astype(np.int64)
    short = np.minimum(true, max_length)
    order = np.argsort(-short, kind="stable")
    lengths = short[order]
    widths = np.empty_like(lengths)
    runs = cut_groups(lengths.tolist(), least=GROUP_TOKENS[torch.device(device).type])
    for first, last in runs:
        widths[first:last] = lengths[first]
    starts = np.concatenate([[0], np.cumsum(widths)])[:-1]
    rows = np.repeat(np.arange(len(order)), widths)
    positions = np.arange(widths.sum()) - starts[rows]
    real = positions < lengths[rows]
    source = tokens.offsets[sentences[order]][rows] + positions
    last_token = positions == lengths[rows] - 1
    source = np.where(last_token, tokens.offsets[sentences[order] + 1][rows] - 1, source)
    ids = np.where(real, tokens.ids[np.minimum(source, len(tokens.ids) - 1)], pad)
    groups = tuple(_group(first, last, lengths, int(starts[first]), device) for first, last in runs)
    send = lambda array: torch.from_numpy(np.ascontiguousarray(array)).to(device)  # noqa: E731
    return Packed(send(ids.astype(np.int64)), send(positions), send(rows), send(real), send(lengths),
                  send(starts), send(order), groups)


def _group(first: int, last: int, lengths: np.ndarray, start: int, device: str | torch.device) -> Group:
    length, bias = int(lengths[first]), None
    if lengths[last - 1] < length:
        padding = np.arange(length)[None, :] >= lengths[first:last, None]
        bias = torch.zeros(padding.shape).masked_fill_(torch.from_numpy(padding), float("-inf"))
        bias = bias[:, None, None, :].to(device)
    return Group(first, last - first, length, start, bias)


def token_budget_batches(lengths: np.ndarray, budget: int) -> list[np.ndarray]:
    """Cut sentence numbers, sorted by length (longest first), into batches of about ``budget`` tokens."""
    order = np.argsort(-lengths, kind="stable")
    filled = np.cumsum(lengths[order])
    cuts = np.flatnonzero(np.diff(filled // budget)) + 1
    return [batch for batch in np.split(order, cuts) if len(batch)]
