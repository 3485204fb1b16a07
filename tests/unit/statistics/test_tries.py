"""The tries of a control: the e-value, the shares of the budget, and what each word says."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, stats

from semblance.statistics.significance import ALPHA, LEVEL
from semblance.statistics.tries import EFFECT, MOST_SEEDS, e_value, judge, reach, share

MARGIN = 0.5


def cosine_of(differences):
    """The cosine of the angle between some differences and (1, ..., 1)."""
    ones = np.ones(len(differences))
    return float(differences @ ones / np.linalg.norm(differences) / np.linalg.norm(ones))


def ratio(differences):
    """The e-value by its definition: given an effect above 0, t is noncentral; else central."""
    n = len(differences)
    t = differences.mean() / differences.std(ddof=1) * math.sqrt(n)

    def weighed(effect):
        of_t = stats.nct.pdf(t, n - 1, math.sqrt(n) * effect)
        return of_t * stats.halfnorm.pdf(effect, scale=math.sqrt(EFFECT))

    above, _ = integrate.quad(weighed, 0, 12, limit=400, points=[abs(t) / math.sqrt(n)])
    return above / stats.t.pdf(t, n - 1)


@pytest.mark.parametrize("n, mean", itertools.product([2, 5, 12], [-0.1, 0.0, 0.3]))
def test_the_e_value_is_the_ratio_of_the_likelihoods_of_t(n, mean):
    differences = np.random.default_rng(n).normal(mean, 0.2, n)
    assert e_value(n, cosine_of(differences)) == pytest.approx(ratio(differences), rel=1e-3)


@pytest.mark.parametrize("n", [2, 3, 7])
def test_without_a_gain_the_mean_of_the_e_value_is_1_and_with_a_loss_it_is_less(n):
    def value(t):
        return e_value(n, t / math.sqrt(t**2 + n - 1))

    of_equal, _ = integrate.quad(lambda t: value(t) * stats.t.pdf(t, n - 1), -np.inf, np.inf)
    of_worse, _ = integrate.quad(lambda t: value(t) * stats.nct.pdf(t, n - 1, -1), -200, 200)
    assert of_equal == pytest.approx(1, abs=1e-3)
    assert of_worse < 1


def test_the_mean_at_the_end_of_an_interval_has_the_needed_evidence_against_it():
    differences = np.random.default_rng(1).normal(0.3, 0.2, 8)
    for needed in (20, 420):
        low = differences.mean() - differences.std() * reach(8, needed)
        assert e_value(8, cosine_of(differences - low)) == pytest.approx(needed)


def test_all_tries_together_spend_the_budget_once():
    """The first 10 have half of it, the next 20 half of the rest, the next 40 half of that."""
    shares = [share(place) for place in range(1, 71)]
    assert shares == [1 / 20] * 10 + [1 / 4 / 20] * 20 + [1 / 8 / 40] * 40
    judged = judge([np.array([0.1, -0.1])] * 70, MARGIN)
    assert [judged[t - 1].needed for t in (1, 10, 11, 31)] == pytest.approx([400, 400, 1600, 6400])
    assert [judged[t - 1].spent for t in (1, 10, 30, 70)] == pytest.approx([0.05, 0.5, 0.75, 0.875])


BETTER = np.array([0.5, 0.6, 0.55, 0.45, 0.5, 0.52, 0.58])
EQUAL = np.array([0.02, -0.03, 0.01, 0.0, -0.01, 0.03, -0.02])


def test_what_was_kept_halves_the_evidence_that_the_next_try_needs():
    after_none, after_one = (judge([first, EQUAL], MARGIN)[1] for first in (EQUAL, BETTER))
    assert after_none.needed == pytest.approx(2 * after_one.needed)


@pytest.mark.parametrize(
    "differences, word",
    [
        (BETTER, "KEEP"),
        (BETTER[:2], "OPEN"),  # two seeds have an e-value of 2 √21 at most
        (EQUAL, "DISCARD"),
        (-BETTER, "DISCARD"),
        (4 * MARGIN * np.array([1.0, -1.0, 0.5, -0.3, 0.8]), "OPEN"),
        (np.zeros(7), "DISCARD"),  # the control under another name
        (np.full(7, 1e-14), "DISCARD"),  # what rounding leaves of it
        (np.zeros(3), "DISCARD"),
        (np.zeros(2), "OPEN"),
        (np.full(4, 0.5), "KEEP"),  # no spread: an e-value of about 2 √41³ = 525
        (np.full(3, 0.1), "DISCARD"),  # three seeds cannot reach 400
        (0.01 * BETTER, "KEEP"),  # however small: the interval says how much
    ],
)
def test_the_interval_decides_the_word(differences, word):
    (judged,) = judge([differences], MARGIN)
    assert judged.word == word
    assert judged.difference == pytest.approx(differences.mean())
    assert judged.low <= judged.difference <= judged.high
    assert (judged.low > 0) == (word == "KEEP") == (judged.evidence > judged.needed)
    assert (judged.more == 0) == (word != "OPEN")
    if word == "DISCARD":
        assert judged.high < MARGIN


def test_as_many_further_seeds_as_are_named_decide_if_they_are_like_those_so_far():
    (judged,) = judge([BETTER[:3]], MARGIN)
    n = 3 + judged.more
    alike = BETTER[:3].mean() + BETTER[:3].std() * stats.zscore(np.arange(n))
    assert judge([alike], MARGIN)[0].word == "KEEP"
    mean, sd = alike.mean(), alike.std()
    fewer = mean + sd * stats.zscore(np.arange(n - 1))
    assert judge([fewer], MARGIN)[0].word == "OPEN"
    noisy = 4 * np.array([1.0, -1.0, 0.5])
    assert [each.more for each in judge([noisy, noisy[:1]], MARGIN)] == [None, None]


def test_a_further_try_moves_no_word_before_it():
    tries = [EQUAL, BETTER, EQUAL[:3], BETTER]
    assert judge(tries, MARGIN)[:3] == judge(tries[:3], MARGIN)


@pytest.mark.parametrize("broken", [[], [0.1, math.nan], [math.inf, 0.1]])
def test_a_difference_that_is_no_number_is_refused(broken):
    with pytest.raises(ValueError, match="try 2: "):
        judge([EQUAL, np.array(broken)], MARGIN)


@pytest.mark.parametrize("difference", [0.0, 0.5])
def test_who_looks_after_each_of_30_seeds_is_rarely_wrong(difference):
    """Of 10,000 first tries 5 % at most may ever leave out the truth; t-tests' intervals do in 29 %."""
    drawn = np.random.default_rng(7).normal(difference, 0.4, (10_000, MOST_SEEDS))
    level = ALPHA * share(1)
    below, above, by_t = np.zeros((3, len(drawn)), bool)
    largest = np.zeros(len(drawn))  # e-value against the truth
    for n in range(2, MOST_SEEDS + 1):
        errors = drawn[:, :n] - difference
        mean, sd = errors.mean(axis=1), errors.std(axis=1)
        below |= mean > sd * reach(n, 1 / level)
        above |= -mean > sd * reach(n, 1 / (ALPHA - level))
        by_t |= np.abs(mean) > stats.t.ppf(0.975, n - 1) * sd / math.sqrt(n - 1)
        cosines = mean / np.hypot(mean, sd)
        largest = np.maximum(largest, [e_value(n, cosine) for cosine in cosines])
    assert (below | above).mean() <= 1 - LEVEL
    assert below.mean() <= level + 3 * math.sqrt(level / len(drawn))
    assert above.mean() > 0.01  # and not because it never refuses anything
    assert by_t.mean() == pytest.approx(0.29, abs=0.015)
    for x in (100, 133):  # the page's .5 / x, and three standard errors
        assert (largest >= x).mean() <= 0.5 / x + 3 * math.sqrt(0.5 / x / len(drawn))
