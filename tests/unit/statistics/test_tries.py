"""The tries of a control: the e-values, the shares of the budget, and what each word says."""

import itertools
import math

import numpy as np
import pytest
from pytest import approx
from scipy import integrate, stats

from semblance.statistics import tries
from semblance.statistics.resampling import item_covariances
from semblance.statistics.significance import ALPHA, LEVEL
from semblance.statistics.tries import MOST_SEEDS, Pool, Standing, judge, share

FIRST = Standing(1)
CONTROL = np.array([70.1, 69.9, 70.05, 69.95, 70.0, 70.08, 69.92])  # an sd of .08
BETTER = np.array([0.5, 0.6, 0.55, 0.45, 0.5, 0.52, 0.58])
EQUAL = np.array([0.02, -0.03, 0.01, 0.0, -0.01, 0.03, -0.02])


def judged(differences, standing=FIRST, drawn=None):
    """The judgement of a loss that is so far from its control."""
    theirs = np.resize(CONTROL, len(differences))
    return judge(theirs + differences, theirs, standing, drawn)


def of_effects(t, n, freedom, weights, points):
    """An e-value by its definition: given an effect above 0, t is noncentral; else central."""

    def weighed(effect):
        return stats.nct.pdf(t, freedom, math.sqrt(n) * effect) * weights(effect)

    above, _ = integrate.quad(weighed, 0, 12, limit=400, points=points)
    return above / stats.t.pdf(t, freedom)


@pytest.mark.parametrize("n, mean", itertools.product([2, 5, 12], [-0.1, 0.0, 0.3]))
def test_the_evidence_of_own_spread_is_the_ratio_of_the_likelihoods_of_t(n, mean):
    gaps = np.random.default_rng(n).normal(mean, 0.2, n)
    t = gaps.mean() / gaps.std(ddof=1) * math.sqrt(n)
    scale = math.sqrt(tries.VARIANCE)
    expected = of_effects(
        t, n, n - 1, lambda effect: stats.halfnorm.pdf(effect, scale=scale), [abs(t) / n**0.5]
    )
    found = tries.of_own_spread(np.array(n), gaps.mean(), np.array(n * gaps.var()))
    assert found == approx(expected, rel=1e-3)


@pytest.mark.parametrize("n, pooled, t", itertools.product([2, 5, 12], [1, 20.5], [-1.0, 0.0, 4.0]))
def test_the_evidence_of_a_borrowed_spread_is_the_ratio_at_one_effect(n, pooled, t):
    freedom = n - 1 + pooled  # of a variance of 4, so that the standard error is 2 / √n
    found = tries.of_borrowed_spread(
        np.array(n), np.array(freedom + 1), t * 2 / math.sqrt(n), np.array(4.0 * freedom)
    )
    noncentral = stats.nct.pdf(t, freedom, math.sqrt(n) * tries.EFFECT)
    assert found == approx(noncentral / stats.t.pdf(t, freedom), rel=1e-6)


@pytest.mark.parametrize("kind", ["own", "borrowed"])
@pytest.mark.parametrize("n", [2, 3, 7])
def test_without_a_gain_the_mean_of_an_e_value_is_1_and_with_a_loss_it_is_less(kind, n):
    def value(t):
        mean, within = np.array(t / math.sqrt(n)), np.array(n - 1.0)
        if kind == "own":
            return tries.of_own_spread(np.array(n), mean, within)
        return tries.of_borrowed_spread(np.array(n), np.array(n), mean, within)

    of_equal, _ = integrate.quad(lambda t: value(t) * stats.t.pdf(t, n - 1), -np.inf, np.inf)
    of_worse, _ = integrate.quad(lambda t: value(t) * stats.nct.pdf(t, n - 1, -1), -200, 200)
    assert of_equal == approx(1, abs=2e-3)
    assert of_worse < 1


def test_a_pool_has_the_variance_of_earlier_tries_about_their_own_means():
    """Of 2 and 1 degrees of freedom: (.5 + .5 + 2) / 3; 20 more would be 1 / (1/3 + 1/20)."""
    pool = Pool.of([np.array([0.0, 1.0, 1.0 / 2 + 3**0.5 / 2]), np.array([9.0, 11.0])])
    squares = 2 * np.var([0.0, 1.0, 1.0 / 2 + 3**0.5 / 2], ddof=1) + 2.0
    assert pool.variance == approx(squares / 3)
    assert pool.freedom == approx(60 / 23)
    assert Pool.of([]).freedom == Pool.of([np.array([1.0])]).freedom == 0


def test_a_spread_beyond_that_of_the_pool_borrows_nothing():
    wide, narrow = (Standing(1, 0, Pool(variance, 20.0)) for variance in (0.01, 1.0))
    differences = np.array([1.0, 0.5, 1.5, 0.0, 2.0])  # the scores' variance is about .6
    ours, theirs = CONTROL[:5] + differences, CONTROL[:5]
    limit = stats.f.ppf(tries.UNLIKE, 4, 20)
    assert np.var(ours, ddof=1) > 0.01 * limit and np.var(ours, ddof=1) < 1.0 * limit
    alone = tries.of_own_spread(np.array(5), 1.0, np.array(5 * differences.var()))
    found = judge(ours, theirs, wide)
    assert found.evidence == approx((1 - tries.BORROWED) * float(alone)) and found.freedom == 4
    assert judge(ours, theirs, narrow).freedom == 20 + 2 * 4


def test_the_gain_at_the_end_of_an_interval_has_the_needed_evidence_against_it():
    rng = np.random.default_rng(1)
    ours, theirs = rng.normal(0.6, 0.2, 8), rng.normal(0, 0.2, 8)
    standing = Standing(12, 1, Pool(0.05, 9.0))
    low, high = tries.interval(ours, theirs, standing)
    assert standing.needed == approx(800)
    assert tries.evidence(ours, theirs, standing.pool, low)[-1] == approx(800)
    other = tries.evidence(theirs, ours, standing.pool, -high, tried=ours)[-1]
    assert other == approx(1 / ALPHA)


def test_all_tries_together_spend_the_budget_once():
    """The first 10 have half of it, the next 20 half of the rest, the next 40 half of that."""
    shares = [share(place) for place in range(1, 71)]
    assert shares == [1 / 20] * 10 + [1 / 4 / 20] * 20 + [1 / 8 / 40] * 40
    needed = [Standing(place).needed for place in (1, 10, 11, 31)]
    assert needed == approx([400, 400, 1600, 6400])
    assert Standing(1, 1).needed == approx(200)  # what was kept halves it
    spent = [judged(EQUAL, Standing(place)).spent for place in (1, 10, 30, 70)]
    assert spent == approx([0.05, 0.5, 0.75, 0.875])


@pytest.mark.parametrize(
    "differences, word",
    [
        (BETTER, "KEEP"),
        (BETTER[:3], "OPEN"),
        (np.array([0.41, 0.37, 0.31, 0.36, 0.30]), "KEEP"),  # by an earlier rule DISCARD after four
        (EQUAL, "DISCARD"),
        (-BETTER, "DISCARD"),
        (0.0054 + 0.03 * EQUAL, "SMALL"),  # shown to be above 0, and far below .1
        (20 * EQUAL, "OPEN"),
        (np.zeros(7), "DISCARD"),  # the control under another name
        (np.full(7, 1e-14), "DISCARD"),  # what rounding leaves of it
        (np.zeros(3), "OPEN"),
        (np.append(BETTER[:5], -1.4), "KEEP"),  # the word stays, and the far seed is named
        (np.append(-1.4, BETTER), "OPEN"),  # with a far seed nothing ends
    ],
)
def test_the_first_seeds_that_end_a_try_decide_the_word(differences, word):
    found = judged(differences)
    assert found.word == word
    assert (found.ends is not None and found.ends <= len(differences)) == (word != "OPEN")
    assert found.difference == approx(np.mean(differences))
    assert found.low <= found.difference <= found.high
    assert found.far == [*np.flatnonzero(differences == -1.4)]
    if word in ("SMALL", "DISCARD"):
        assert found.high < found.least == tries.LEAST


def test_a_third_of_the_spread_of_the_control_is_the_least_gain_where_it_is_more():
    theirs = np.array([69.0, 70.0, 71.0])  # an sd of 1
    assert judge(theirs, theirs, FIRST).least == approx(1 / 3)


def drawn_runs(rng, count, gain, sd, n):
    """Scores of a loss and its control in made-up runs."""
    return rng.normal(gain, sd, (count, n)), rng.normal(0, sd, (count, n))


def test_the_word_after_n_seeds_is_that_of_the_seeds_whenever_one_looked():
    """Each word of all prefixes at once is that of a look at the prefix, and none that ends turns."""
    rng, found = np.random.default_rng(3), set()
    for gain, sd in itertools.product((0.0, 0.05, 0.3), (0.01, 0.1, 0.4)):
        standing = Standing(3, 1, Pool(sd**2, 8.0))
        draws = rng.normal(gain, 0.1, (200, 9))
        ours, theirs = drawn_runs(rng, 1, gain, sd, 9)
        errors = tries.item_errors(draws, 9)
        at_once = tries.words(ours, theirs, standing, errors)[0]
        apart = [judge(ours[0, :n], theirs[0, :n], standing, draws[:, :n]) for n in range(1, 10)]
        assert [each.word for each in apart] == at_once.tolist()
        turns = [word for word, _ in itertools.groupby(at_once)]
        assert turns in (["OPEN"], ["OPEN", turns[-1]])
        found |= set(turns)
    assert found == {"KEEP", "SMALL", "DISCARD", "OPEN"}


@pytest.mark.parametrize("items, word", [(0.1, "KEEP"), (0.3, "OPEN")])
def test_what_is_kept_lies_above_0_over_seeds_and_pairs(items, word):
    drawn = np.random.default_rng(0).normal(0, items, (4000, 1)) + np.zeros(7)
    found = judged(BETTER, drawn=drawn)
    error = item_covariances([drawn], [tuple(range(7))])[0, 0] ** 0.5
    assert found.word == word and found.items == approx(error) and error == approx(items, rel=0.05)
    of_seeds = found.difference - tries.interval(CONTROL + BETTER, CONTROL, FIRST)[0]
    of_items = stats.norm.isf(1 / 400) * error
    assert found.low == approx(found.difference - math.hypot(of_seeds, of_items))
    assert (found.low > 0) == (word == "KEEP")


def test_as_many_further_seeds_as_are_named_end_a_try_if_they_are_like_those_so_far():
    found = judged(BETTER[:3])
    ours, theirs = CONTROL[:3] + BETTER[:3], CONTROL[:3]
    alike = [np.resize(scores, found.ends) for scores in (ours, theirs)]
    assert judge(*alike, FIRST).word == "KEEP"
    assert judge(*(scores[:-1] for scores in alike), FIRST).word == "OPEN"
    assert (judged(BETTER[:1]).ends, judged(BETTER[:1]).shows) == (None, math.inf)
    shown = judged(20 * EQUAL).shows  # of these seven seeds and five of them once more
    ours, theirs = (np.resize(scores, 12) for scores in (CONTROL + 20 * EQUAL, CONTROL))
    assert judge(ours + shown - (ours - theirs).mean(), theirs, FIRST).low == approx(0, abs=1e-6)


@pytest.mark.parametrize("broken", [[], [0.1, math.nan], [math.inf, 0.1]])
def test_a_score_that_is_no_number_is_refused(broken):
    with pytest.raises(ValueError, match="try 2: "):
        judged(np.array(broken), Standing(2))


def test_who_looks_after_each_of_30_seeds_is_rarely_wrong_where_spreads_are_alike():
    """Of 4,000 first tries 5 % at most may ever leave out the truth; t-tests' intervals do in 29 %."""
    rng = np.random.default_rng(7)
    ours, theirs = drawn_runs(rng, 4000, 0.5, 0.3, MOST_SEEDS)
    pooled = 0.09 * rng.chisquare(20, (4000, 1)) / 20
    n = np.arange(1, MOST_SEEDS + 1)
    above = {}
    for name, pool in (("first", Pool()), ("later", Pool(pooled, np.array(10.0)))):
        below = tries.evidence(ours, theirs, pool, 0.5) > FIRST.needed
        above[name] = tries.evidence(theirs, ours, pool, -0.5, tried=ours) > 1 / ALPHA
        ever = (below | above[name]).any(axis=1).mean()
        assert ever <= 1 - LEVEL and above[name].any(axis=1).mean() > 0.01
        assert below.any(axis=1).mean() <= ALPHA * share(1) + 3 * math.sqrt(1 / 400 / 4000)
    error = np.cumsum(ours - theirs, axis=1) / n - 0.5
    sd = np.sqrt(tries.squares(ours - theirs)[:, 1:] / n[:-1])
    by_t = np.abs(error[:, 1:]) > stats.t.ppf(0.975, n[:-1]) * sd / np.sqrt(n[1:])
    assert by_t.any(axis=1).mean() == approx(0.29, abs=0.025)
