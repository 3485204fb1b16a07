"""S-SimCSE's sampled rates: their distribution, and what shares one."""

import pytest
import torch
from scipy import stats

from semblance.models.dropout_plan import Site
from semblance.models.dropouts.sampled import Options, rate, sample_rates
from tests.unit.models.statistics import correlation, six_errors

CPU = torch.device("cpu")
VIEWS = torch.tensor([0, 0, 0, 1, 1, 1])
EVERYWHERE = "hidden+attention"


def site(layers="hidden"):
    """Return the place of an operation at the start of a forward pass."""
    return Site(layers, VIEWS, 2, drawn={})


def follows(rates, distribution):
    """Whether draws may be those of a distribution, by Kolmogorov and Smirnov."""
    return stats.kstest(rates.double().numpy(), distribution.cdf).pvalue > 1e-3


@pytest.mark.parametrize(
    "options, distribution",
    [
        (Options(low=0.0, high=0.2), stats.uniform(0.0, 0.2)),
        (Options(low=0.1, high=0.5), stats.uniform(0.1, 0.4)),
        (Options("beta", alpha=2.0, beta=18.0), stats.beta(2.0, 18.0)),
    ],
)
def test_rates_follow_their_distribution(options, distribution):
    rates = sample_rates(options, 20_000, CPU)
    assert rates.dtype == torch.float32 and rates.shape == (20_000,)
    assert follows(rates, distribution)


@pytest.mark.parametrize(
    "sampled", [Options(low=0.5, high=1.5), Options("beta", alpha=18.0, beta=1.0)]
)
def test_rates_are_clamped_below_ninety_per_cent(sampled):
    rates = sample_rates(sampled, 2_000, CPU)
    assert rates.max() == torch.tensor(0.9) and (rates < 0.9).any()


@pytest.mark.parametrize(
    "granularity,expected",
    [("view", [1, 1, 2]), ("row", [3, 3, 6]), ("pass", [1, 1, 2]), ("shared", [1, 1, 1])],
)
@pytest.mark.parametrize("distribution", ["uniform", "beta"])
def test_the_granularity_says_which_sentences_share_a_rate(granularity, expected, distribution):
    rates = rate(Options(distribution, granularity=granularity), site())
    assert rates.shape == (6,)
    of_views = (rates[:3], rates[3:], rates)
    assert [len(set(found.tolist())) for found in of_views] == expected


@pytest.mark.parametrize("granularity", ["view", "row", "shared"])
def test_each_operation_draws_its_rates_anew(granularity):
    options, place = Options(granularity=granularity, layers=EVERYWHERE), site("attention")
    assert not (rate(options, place) == rate(options, place)).any()


def test_a_rate_of_a_pass_is_the_same_in_all_its_operations():
    options = Options(granularity="pass", layers=EVERYWHERE)
    shared = site()
    one_pass = [shared, shared._replace(layers="attention"), shared]
    first, *others = [rate(options, place) for place in one_pass]
    assert all(torch.equal(other, first) for other in others)
    assert not (rate(options, site()) == first).any()


@pytest.mark.parametrize("granularity", ["view", "row", "pass"])
def test_the_rates_of_forward_passes_follow_the_distribution_and_views_are_independent(granularity):
    options = Options(low=0.1, high=0.5, granularity=granularity)
    passes = torch.stack([rate(options, site()) for _ in range(2500)])
    for sentence in (0, 3):  # one of each view
        assert follows(passes[:, sentence], stats.uniform(0.1, 0.4))
    assert abs(correlation(passes[:, 0], passes[:, 3])) < six_errors(2500)


def test_attention_rates_are_sampled_only_where_the_options_say_so():
    assert rate(Options(), site("attention")) is None
    both = Options(layers=EVERYWHERE)
    assert rate(both, site()).shape == rate(both, site("attention")).shape == (6,)
