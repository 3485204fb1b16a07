"""S-SimCSE's sampled rates: their distribution, and what shares one."""

import pytest
import torch
from scipy import stats

from semblance.errors import InputError
from semblance.models.dropout_plan import Site
from semblance.models.dropouts.sampled import Options, rate, sample_rates
from semblance.settings import decode
from tests.unit.models.statistics import correlation, six_errors

CPU = torch.device("cpu")
VIEWS = torch.tensor([0, 0, 0, 1, 1, 1])
HIDDEN = Site("hidden", VIEWS, 2, drawn={})
ATTENTION = Site("attention", VIEWS, 2, drawn={})


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(1234)


@pytest.mark.parametrize("low,high", [(0.0, 0.2), (0.1, 0.5)])
def test_uniform_rates_follow_the_uniform_distribution(low, high):
    rates = sample_rates(Options(low=low, high=high), 20_000, CPU)
    assert rates.dtype == torch.float32 and rates.shape == (20_000,)
    assert stats.kstest(rates.double().numpy(), stats.uniform(low, high - low).cdf).pvalue > 1e-3


def test_beta_rates_follow_the_beta_distribution():
    rates = sample_rates(Options("beta", alpha=2.0, beta=18.0), 20_000, CPU)
    assert stats.kstest(rates.double().numpy(), stats.beta(2.0, 18.0).cdf).pvalue > 1e-3


@pytest.mark.parametrize(
    "sampled", [Options(low=0.5, high=1.5), Options("beta", alpha=18.0, beta=1.0)]
)
def test_rates_are_clamped_below_ninety_per_cent(sampled):
    rates = sample_rates(sampled, 2_000, CPU)
    assert rates.max() == torch.tensor(0.9) and (rates < 0.9).any()


def distinct(rates, rows):
    return len(set(rates[rows].tolist()))


@pytest.mark.parametrize(
    "granularity,expected",
    [("view", (1, 1, 2)), ("row", (3, 3, 6)), ("pass", (1, 1, 2)), ("shared", (1, 1, 1))],
)
@pytest.mark.parametrize("distribution", ["uniform", "beta"])
def test_the_granularity_says_which_sentences_share_a_rate(granularity, expected, distribution):
    rates = rate(Options(distribution, granularity=granularity), HIDDEN._replace(drawn={}))
    assert rates.shape == (6,)
    assert (
        distinct(rates, VIEWS == 0),
        distinct(rates, VIEWS == 1),
        distinct(rates, VIEWS >= 0),
    ) == expected


@pytest.mark.parametrize("granularity", ["view", "row", "shared"])
def test_each_operation_draws_its_rates_anew(granularity):
    options = Options(granularity=granularity)
    assert not (rate(options, HIDDEN) == rate(options, HIDDEN)).any()


def test_a_rate_of_a_pass_is_the_same_in_all_its_operations():
    options = Options(granularity="pass", layers="hidden+attention")
    shared = {}
    one_pass = [site._replace(drawn=shared) for site in (HIDDEN, ATTENTION, HIDDEN)]
    first, *others = [rate(options, site) for site in one_pass]
    assert all(torch.equal(other, first) for other in others)
    assert not (rate(options, HIDDEN._replace(drawn={})) == first).any()


def test_the_rates_of_passes_follow_the_distribution_and_views_are_independent():
    options = Options(low=0.1, high=0.5, granularity="pass")
    passes = torch.stack([rate(options, HIDDEN._replace(drawn={})) for _ in range(2500)])
    for sentence in (0, 3):  # one of each view
        uniform = stats.uniform(0.1, 0.4)
        assert stats.kstest(passes[:, sentence].double().numpy(), uniform.cdf).pvalue > 1e-3
    assert abs(correlation(passes[:, 0], passes[:, 3])) < six_errors(2500)


def test_attention_rates_are_sampled_only_where_the_options_say_so():
    assert rate(Options(), ATTENTION) is None
    both = Options(layers="hidden+attention")
    assert rate(both, HIDDEN).shape == rate(both, ATTENTION).shape == (6,)
    assert not (rate(both, ATTENTION) == rate(both, ATTENTION)).any()


@pytest.mark.parametrize("granularity", ["view", "row"])
def test_the_rates_of_the_two_views_are_independent(granularity):
    options = Options(granularity=granularity)
    draws = torch.stack([rate(options, HIDDEN) for _ in range(2500)])
    assert abs(correlation(draws[:, 0], draws[:, 3])) < six_errors(2500)


@pytest.mark.parametrize(
    "key, value",
    [
        ("distribution", "normal"),
        ("granularity", "rows"),
        ("granularity", "View"),
        ("layers", "attention"),
        ("layers", 1),
    ],
)
def test_an_unknown_choice_is_refused(key, value):
    with pytest.raises(InputError, match=f"sampled.{key}"):
        decode(Options, {key: value}, "sampled")


@pytest.mark.parametrize("key, word", [("distribution", "normal"), ("granularity", "rows")])
def test_an_unknown_word_draws_no_rate(key, word):
    with pytest.raises(InputError, match=f"dropout.sampled.{key}: unknown word {word!r}"):
        rate(Options(**{key: word}), HIDDEN)


@pytest.mark.parametrize(
    "key, value", [("low", -0.1), ("high", 0.91), ("alpha", 0.0), ("beta", -1.0)]
)
def test_a_number_out_of_its_bounds_is_refused(key, value):
    with pytest.raises(InputError, match=f"sampled.{key}: must be"):
        decode(Options, {key: value}, "sampled")
