"""Poolings: a sentence's vector from its tokens' vectors, for a flat batch of sentences."""

import numpy as np
import torch

from semblance.data.tokens import Tokens
from semblance.models.packing import pack
from semblance.models.poolings import cls, mean

LENGTHS = [2, 5, 3]
TOKENS = Tokens(np.zeros(10, np.int32), np.cumsum([0, *LENGTHS]))


def flat_and_by_sentence():
    """Random token vectors of a packed batch, flat (T, 4), and those of each packed row."""
    packed = pack(TOKENS, np.arange(3), 100)
    x = torch.randn(10, 4, generator=torch.Generator().manual_seed(0))
    longest_first = sorted(LENGTHS, reverse=True)
    return x, packed, x.split(longest_first)


def test_cls_takes_the_first_token_of_each_sentence():
    x, packed, sentences = flat_and_by_sentence()
    assert torch.equal(cls.pool(x, packed), torch.stack([s[0] for s in sentences]))


def test_mean_averages_the_tokens_of_each_sentence():
    x, packed, sentences = flat_and_by_sentence()
    expected = torch.stack([s.double().mean(dim=0) for s in sentences])
    assert (mean.pool(x, packed) - expected).abs().max() < 1e-6
