"""Dropout of every kind: rates, expectation, independence, who shares a rate, DropHead.

Seeds are fixed, so a bound holds always or never; each is six standard errors wide.
"""

import math

import pytest
import torch
from scipy import stats

from semblance.models import dropout as module
from semblance.models.dropout import (
    DropoutSettings,
    Noise,
    Sampled,
    dropout,
    head_scale,
    keep_mask,
    sample_rates,
)

CPU = torch.device("cpu")
DRAWS = 200_000


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(1234)


def within(found, probability, draws):
    """Whether a share of ``draws`` independent trials lies within six standard errors."""
    return abs(found - probability) <= 6 * math.sqrt(probability * (1 - probability) / draws)


def correlation(x, y):
    x, y = x.double().flatten() - x.double().mean(), y.double().flatten() - y.double().mean()
    return float(x @ y / (x.norm() * y.norm()))


@pytest.mark.parametrize("rate", [0.001, 0.05, 0.1, 0.5, 0.9])
def test_a_scalar_rate_drops_that_share(rate):
    mask, kept = keep_mask((DRAWS // 100, 100), rate, CPU)
    assert mask.dtype == torch.bool and mask.shape == (DRAWS // 100, 100)
    assert kept == pytest.approx(1 - rate, abs=2**-17)
    assert within(mask.double().mean().item(), 1 - rate, DRAWS)


def test_each_row_drops_the_share_of_its_own_rate():
    rates = torch.tensor([0.0, 0.05, 0.1, 0.5, 0.9])
    mask, kept = keep_mask((5, DRAWS), rates[:, None], CPU)
    assert kept.shape == (5, 1) and torch.allclose(kept[:, 0], 1 - rates, atol=2**-17, rtol=0)
    assert mask[0].all()
    for row, rate in zip(mask[1:], rates[1:].tolist(), strict=True):
        assert within(row.double().mean().item(), 1 - rate, DRAWS)


@pytest.mark.parametrize("lane", range(4))
def test_elements_that_share_a_random_word_are_as_good_as_others(lane):
    mask, _ = keep_mask((DRAWS,), 0.3, CPU)
    mine, next_one = mask[lane::4], mask.roll(-1)[lane::4]
    assert within(mine.double().mean().item(), 0.7, len(mine))
    assert abs(correlation(mine, next_one)) < 6 / math.sqrt(len(mine))


@pytest.mark.parametrize("shape", [(1,), (3,), (2, 3, 5), (4, 1)])
def test_a_rate_of_zero_keeps_all(shape):
    assert keep_mask(shape, 0.0, CPU)[0].all()
    x = torch.randn(shape)
    assert torch.equal(dropout(x, 0.0), x) and torch.equal(dropout(x, torch.zeros(shape)), x)


@pytest.mark.parametrize("rate", [0.1, 0.5, torch.tensor([[0.1], [0.6]])])
def test_the_expectation_of_dropout_is_its_input(rate):
    x = torch.tensor([[3.0], [-2.0]]).expand(2, DRAWS)
    found = dropout(x, rate).double().mean(dim=1)
    p = (
        rate.double().squeeze(1)
        if isinstance(rate, torch.Tensor)
        else torch.tensor([rate, rate]).double()
    )
    error = (
        x[:, 0].double().abs() * (p / (1 - p) / DRAWS).sqrt()
    )  # of the mean of x·Bernoulli(1-p)/(1-p)
    assert ((found - x[:, 0]).abs() <= 6 * error).all()


def test_dropout_zeroes_or_divides_by_the_probability_kept():
    x = torch.randn(50, 40)
    out = dropout(x, 0.25)
    zero = out == 0
    assert 0 < zero.double().mean() < 1
    assert torch.allclose(out[~zero], x[~zero] / 0.75)


def test_dropout_is_drawn_anew_each_time_and_repeats_with_the_seed():
    x = torch.ones(1000)
    first, second = dropout(x, 0.5), dropout(x, 0.5)
    torch.manual_seed(1234)
    assert not torch.equal(first, second) and torch.equal(dropout(x, 0.5), first)


@pytest.mark.parametrize("low,high", [(0.0, 0.2), (0.1, 0.5)])
def test_uniform_rates_follow_the_uniform_distribution(low, high):
    rates = sample_rates(Sampled(low=low, high=high), 20_000, CPU)
    assert rates.dtype == torch.float32 and rates.shape == (20_000,)
    assert stats.kstest(rates.double().numpy(), stats.uniform(low, high - low).cdf).pvalue > 1e-3


def test_beta_rates_follow_the_beta_distribution():
    rates = sample_rates(Sampled("beta", alpha=2.0, beta=18.0), 20_000, CPU)
    assert stats.kstest(rates.double().numpy(), stats.beta(2.0, 18.0).cdf).pvalue > 1e-3


@pytest.mark.parametrize(
    "sampled", [Sampled(low=0.5, high=1.5), Sampled("beta", alpha=18.0, beta=1.0)]
)
def test_rates_are_clamped_below_ninety_per_cent(sampled):
    rates = sample_rates(sampled, 2_000, CPU)
    assert rates.max() == torch.tensor(0.9) and (rates < 0.9).any()


VIEWS = torch.tensor([0, 0, 0, 1, 1, 1])


def distinct(rates, rows):
    return len(set(rates[rows].tolist()))


@pytest.mark.parametrize(
    "granularity,expected", [("view", (1, 1, 2)), ("row", (3, 3, 6)), ("forward", (1, 1, 1))]
)
@pytest.mark.parametrize("distribution", ["uniform", "beta"])
def test_who_shares_a_rate(granularity, expected, distribution):
    noise = Noise(
        DropoutSettings(sampled=Sampled(distribution, granularity=granularity)), 0.1, 0.1, VIEWS
    )
    rates = noise.hidden_rate()
    assert rates.shape == (6,)
    assert (
        distinct(rates, VIEWS == 0),
        distinct(rates, VIEWS == 1),
        distinct(rates, VIEWS >= 0),
    ) == expected


@pytest.mark.parametrize("granularity", ["view", "row", "forward"])
def test_each_operation_draws_its_rates_anew(granularity):
    noise = Noise(DropoutSettings(sampled=Sampled(granularity=granularity)), 0.1, 0.1, VIEWS)
    assert not (noise.hidden_rate() == noise.hidden_rate()).any()


def test_no_settings_keep_the_rates_of_the_base():
    noise = Noise(DropoutSettings(), 0.13, 0.07, VIEWS)
    assert (noise.hidden_rate(), noise.attention_rate()) == (0.13, 0.07)


def test_settings_replace_the_rates_of_the_base_even_by_zero():
    noise = Noise(DropoutSettings(hidden=0.0, attention=0.3), 0.13, 0.07, VIEWS)
    assert (noise.hidden_rate(), noise.attention_rate()) == (0.0, 0.3)


def test_sampling_touches_attention_only_where_asked():
    hidden = Noise(DropoutSettings(attention=0.3, sampled=Sampled()), 0.1, 0.1, VIEWS)
    both = Noise(
        DropoutSettings(attention=0.3, sampled=Sampled(layers="hidden+attention")), 0.1, 0.1, VIEWS
    )
    assert hidden.attention_rate() == 0.3
    assert (
        isinstance(both.attention_rate(), torch.Tensor)
        and not (both.attention_rate() == both.attention_rate()).any()
    )


@pytest.mark.parametrize("granularity", ["view", "row"])
def test_the_rates_of_the_two_views_are_independent(granularity):
    noise = Noise(DropoutSettings(sampled=Sampled(granularity=granularity)), 0.1, 0.1, VIEWS)
    draws = torch.stack([noise.hidden_rate() for _ in range(2500)])
    assert abs(correlation(draws[:, 0], draws[:, 3])) < 6 / math.sqrt(2500)


@pytest.mark.parametrize(
    "settings",
    [
        DropoutSettings(),
        DropoutSettings(sampled=Sampled()),
        DropoutSettings(sampled=Sampled(granularity="row")),
    ],
)
def test_the_masks_of_the_two_views_are_independent(settings):
    noise = Noise(settings, 0.1, 0.1, VIEWS)
    pairs = []
    for _ in range(2500):
        rate = noise.hidden_rate()
        out = dropout(torch.ones(6, 8), rate if isinstance(rate, float) else rate[:, None])
        pairs.append((out[0] == 0, out[3] == 0))  # the same sentence, once in each view
    first, second = (torch.stack(side) for side in zip(*pairs, strict=True))
    assert 0.08 < first.double().mean() < 0.12
    assert abs(correlation(first, second)) < 6 / math.sqrt(first.numel())


def test_head_scale_is_heads_over_kept(monkeypatch):
    keep = torch.tensor([[1, 1, 1, 1], [1, 0, 1, 1], [0, 0, 1, 0], [0, 0, 0, 0]], dtype=torch.bool)
    monkeypatch.setattr(module, "keep_mask", lambda shape, rate, device: (keep, 1 - rate))
    expected = []
    for row in keep.tolist():
        row = row if any(row) else [True] * 4  # all dropped: all kept
        expected.append([4 / sum(row) if head else 0.0 for head in row])
    assert torch.allclose(head_scale(4, 4, 0.3, CPU), torch.tensor(expected))


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.8])
def test_heads_are_dropped_at_the_rate_less_the_rows_that_would_lose_all(rate):
    heads, rows = 4, 50_000
    scale = head_scale(rows, heads, rate, CPU)
    dropped = scale == 0
    assert scale.shape == (rows, heads)
    assert not dropped.all(dim=1).any()
    assert within(dropped[:, 0].double().mean().item(), rate - rate**heads, rows)
    for kept in range(1, heads):  # a row keeps exactly this many heads: binomial
        share = (dropped.sum(dim=1) == heads - kept).double().mean().item()
        assert within(share, stats.binom(heads, 1 - rate).pmf(kept), rows)
    assert torch.allclose(scale.sum(dim=1), torch.tensor(float(heads)))
