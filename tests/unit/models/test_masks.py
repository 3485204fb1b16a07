"""The masks of dropout: rates, expectation, independence of elements.

Seeds are fixed, so a bound holds always or never; each is six standard errors wide.
"""

import pytest
import torch

from semblance.models.masks import dropout, keep_mask
from tests.unit.models.statistics import correlation, is_within, six_errors

CPU = torch.device("cpu")
DRAWS = 200_000


@pytest.mark.parametrize("rate", [0.001, 0.05, 0.1, 0.5, 0.9])
def test_a_scalar_rate_drops_that_share(rate):
    mask, kept = keep_mask((DRAWS // 100, 100), rate, CPU)
    assert mask.dtype == torch.bool and mask.shape == (DRAWS // 100, 100)
    assert kept == pytest.approx(1 - rate, abs=2**-17)
    assert is_within(mask.double().mean().item(), 1 - rate, DRAWS)


def test_each_row_drops_the_share_of_its_own_rate():
    rates = torch.tensor([0.0, 0.05, 0.1, 0.5, 0.9])
    mask, kept = keep_mask((5, DRAWS), rates[:, None], CPU)
    assert kept.shape == (5, 1) and torch.allclose(kept[:, 0], 1 - rates, atol=2**-17, rtol=0)
    assert mask[0].all()
    for row, rate in zip(mask[1:], rates[1:].tolist(), strict=True):
        assert is_within(row.double().mean().item(), 1 - rate, DRAWS)


@pytest.mark.parametrize("lane", range(4))
def test_elements_that_share_a_random_word_drop_independently(lane):
    mask, _ = keep_mask((DRAWS,), 0.3, CPU)
    mine, next_one = mask[lane::4], mask.roll(-1)[lane::4]
    assert is_within(mine.double().mean().item(), 0.7, len(mine))
    assert abs(correlation(mine, next_one)) < six_errors(len(mine))


@pytest.mark.parametrize("shape", [(1,), (3,), (2, 3, 5), (4, 1)])
def test_a_rate_of_zero_keeps_all(shape):
    assert keep_mask(shape, 0.0, CPU)[0].all()
    x = torch.randn(shape)
    assert torch.equal(dropout(x, 0.0), x) and torch.equal(dropout(x, torch.zeros(shape)), x)


@pytest.mark.parametrize("rate", [0.1, 0.5, torch.tensor([[0.1], [0.6]])])
def test_the_expectation_of_dropout_is_its_input(rate):
    x = torch.tensor([[3.0], [-2.0]]).expand(2, DRAWS)
    found = dropout(x, rate).double().mean(dim=1)
    p = torch.as_tensor(rate).double().flatten()
    # of the mean of x·Bernoulli(1-p)/(1-p)
    error = x[:, 0].double().abs() * (p / (1 - p) / DRAWS).sqrt()
    assert ((found - x[:, 0]).abs() <= 6 * error).all()
