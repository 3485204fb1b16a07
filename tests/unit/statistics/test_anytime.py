"""The confidence sequence: its bounds, and that looking after every seed costs no error."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

from semblance.statistics.significance import EFFECT, LEVEL
from semblance.statistics.significance import interval_at_any_time as interval


def bayes_factor(differences, mean):
    """The factor against a mean: t given the effect is noncentral t, and the effect is normal."""
    n = len(differences)
    t = (differences.mean() - mean) / (differences.std(ddof=1) / math.sqrt(n))

    def weighed(effect):
        of_t = stats.nct.pdf(t, n - 1, math.sqrt(n) * effect)
        return of_t * stats.norm.pdf(effect, scale=math.sqrt(EFFECT))

    above, _ = integrate.quad(weighed, -8, 8, limit=400, points=[0, t / math.sqrt(n)])
    return above / stats.t.pdf(t, n - 1)


@pytest.mark.parametrize("n", [4, 6, 15])
def test_the_ends_are_the_means_against_which_the_factor_reaches_the_level(n):
    differences = np.random.default_rng(n).normal(0.3, 0.2, n)
    for end in interval(differences):
        assert bayes_factor(differences, end) == pytest.approx(1 / (1 - LEVEL), rel=1e-3)


def test_too_few_seeds_refuse_no_mean():
    assert interval(np.array([])) == interval(np.array([1.0])) == (-math.inf, math.inf)
    assert interval(np.array([1.0, 1.1])) == (-math.inf, math.inf)


@pytest.mark.parametrize("difference", [0.0, 0.5])
def test_who_looks_after_each_of_30_seeds_is_rarely_wrong(difference):
    """Of 10,000 experiments at most 5 % may ever exclude the truth; the t-test's do in four times as many."""
    drawn = np.random.default_rng(7).normal(difference, 0.4, (10_000, 30))
    wrong = np.zeros(len(drawn), bool)
    by_t = np.zeros(len(drawn), bool)
    for n in range(2, 31):
        part = drawn[:, :n]
        mean, error = part.mean(axis=1), part.std(axis=1, ddof=1) / math.sqrt(n)
        sample = np.array([-1.0, 1.0] * (n // 2) + [0.0] * (n % 2))
        low, high = interval(sample)
        reach = (high - low) / 2 / (sample.std(ddof=1) / math.sqrt(n))  # in standard errors
        wrong |= np.abs(mean - difference) > reach * error
        by_t |= np.abs(mean - difference) > stats.t.ppf((1 + LEVEL) / 2, n - 1) * error
    assert wrong.mean() <= 1 - LEVEL < by_t.mean() / 4
