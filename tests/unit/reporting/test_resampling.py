"""The hierarchical bootstrap against closed forms, plain loops and luck itself."""

import math

import numpy as np
import pytest
from scipy import stats

from semblance.reporting import resampling as r
from semblance.reporting.significance import Estimate, paired


def test_weighted_correlations_are_spearman_without_resampling():
    rng = np.random.default_rng(0)
    gold, sims = rng.integers(0, 6, 50), rng.normal(size=(3, 50)).round(1)  # both with ties
    found = r.weighted_correlations(
        stats.rankdata(gold), stats.rankdata(sims, axis=1), np.ones((1, 50))
    )[0]
    assert found == pytest.approx([stats.spearmanr(gold, row)[0] for row in sims], abs=1e-12)


def test_weighted_correlations_are_pearson_of_the_repeated_ranks():
    rng = np.random.default_rng(1)
    x, y = stats.rankdata(rng.normal(size=30)), stats.rankdata(rng.normal(size=(2, 30)), axis=1)
    counts = np.vstack(list(r.resamples(30, 5, rng)))
    expected = [
        [np.corrcoef(np.repeat(x, c.astype(int)), np.repeat(row, c.astype(int)))[0, 1] for row in y]
        for c in counts
    ]
    assert r.weighted_correlations(x, y, counts) == pytest.approx(np.array(expected), abs=1e-12)


def test_each_resample_draws_as_many_items_as_there_are():
    counts = list(r.resamples(7, 300, np.random.default_rng(0)))
    assert sum(len(part) for part in counts) == 300
    assert all((part.sum(axis=1) == 7).all() for part in counts)


def test_resamples_draw_each_item_equally_often():
    counts = np.vstack(list(r.resamples(5, 20_000, np.random.default_rng(0))))
    assert counts.mean(axis=0) == pytest.approx(np.ones(5), abs=0.05)
    assert counts.var(axis=0) == pytest.approx(
        np.full(5, 0.8), abs=0.05
    )  # multinomial: n p (1 - p) = 5 · .2 · .8


def test_the_draws_of_a_mean_vary_as_the_closed_form_says():
    scores = np.array([[3.0, -1.0, -0.5, 2.0]])
    draws = r.mean_draws(scores, 20_000, np.random.default_rng(0))
    assert draws.mean() == pytest.approx(scores.mean(), abs=0.03)
    assert draws.var() == pytest.approx(scores.var() / 4, rel=0.03)


def test_resampled_seeds_vary_as_the_mean_of_as_many_new_seeds():
    values = np.array([1.0, 2.0, 4.0, 4.5, 9.0])
    weights = r.seed_weights((40_000, 5), np.random.default_rng(0))
    assert weights.sum(axis=1) == pytest.approx(np.ones(40_000))
    assert (weights @ values).var() == pytest.approx(values.var(ddof=1) / 5, rel=0.03)


def test_a_single_seed_is_not_resampled():
    assert (r.seed_weights((6, 1), np.random.default_rng(0)) == 1).all()


def loop_errors(ours, theirs, draws):
    """The standard errors of a difference of means, drawn one by one with Python's own numbers."""
    rng = np.random.default_rng(99)
    seeds, items = ours.shape
    drawn, fixed = [], []
    for _ in range(draws):
        chosen = rng.integers(items, size=items)
        gaps = [ours[s, chosen].mean() - theirs[s, chosen].mean() for s in range(seeds)]
        fixed.append(np.mean(gaps))
        drawn.append(np.mean([gaps[rng.integers(seeds)] for _ in range(seeds - 1)]))
    return np.std(drawn, ddof=1), np.std(fixed, ddof=1)


def test_the_standard_errors_agree_with_plain_loops():
    rng = np.random.default_rng(4)
    shared = rng.normal(size=(1, 60))
    ours = shared + rng.normal(0.3, 1, (4, 60)) + rng.normal(0, 0.2, (4, 1))
    theirs = shared + rng.normal(0, 1, (4, 60)) + rng.normal(0, 0.2, (4, 1))
    draws = r.mean_draws(np.vstack([ours, theirs]), 4000, np.random.default_rng(0))
    found = r.bootstrapped(draws[:, :4], draws[:, 4:], True, np.random.default_rng(1))
    error, item_error = loop_errors(ours, theirs, 4000)
    assert found.error == pytest.approx(error, rel=0.06)
    assert found.item_error == pytest.approx(item_error, rel=0.06)


def test_seeds_that_are_not_paired_are_drawn_for_each_side():
    draws = np.tile([1.0, 2.0, 3.0], (2000, 1))  # items cause no error here
    rng = np.random.default_rng(0)
    assert r.bootstrapped(draws, draws, True, rng).error == 0
    apart = r.bootstrapped(draws, draws, False, np.random.default_rng(0)).error
    assert apart == pytest.approx(math.sqrt(2 * 1.0 / 3), rel=0.05)  # 2 var / n, var = 1


def test_an_undefined_draw_is_left_out():
    ours = np.array([[1.0, 2.0], [math.nan, 2.0], [3.0, 4.0]])
    found = r.bootstrapped(ours, np.zeros((3, 2)), True, np.random.default_rng(0))
    assert found.item_error == pytest.approx(np.std([1.5, 3.5], ddof=1))


def test_the_half_widths_of_seeds_and_items_add_in_quadrature():
    seeds = Estimate(1.0, 0.3, 4)
    of_seeds = stats.t.ppf(0.975, 4) * 0.3
    of_items = stats.norm.ppf(0.975) * 0.4  # .5 in all: .3 and .4
    found = r.reach_of_both(seeds, 0.5)
    assert found == pytest.approx(math.hypot(of_seeds, of_items))


@pytest.mark.parametrize("error", [0.3, 0.29])
def test_items_without_error_leave_the_t_test_as_it_is(error):
    seeds = Estimate(1.0, 0.3, 4)
    assert r.p_of_both(seeds, error) == pytest.approx(seeds.p())
    low, high = seeds.interval()
    assert r.reach_of_both(seeds, error) == pytest.approx((high - low) / 2)


def test_p_is_that_of_the_interval_which_ends_at_zero():
    seeds = Estimate(0.7, 0.2, 4)
    p = r.p_of_both(seeds, 0.5)
    assert r.reach_of_both(seeds, 0.5, 1 - p) == pytest.approx(0.7)
    assert p > seeds.p()
    assert r.p_of_both(Estimate(0.0, 0.2, 4), 0.5) == 1.0
    assert r.p_of_both(Estimate(1e9, 0.2, 40), 0.5) == r.LEAST_P


@pytest.mark.parametrize("of_items", [0.0, 14.0, 28.0])
def test_without_a_difference_p_errs_as_often_as_it_says(of_items):
    """600 runs of 5 seeds and 150 items: effects of seeds, of items and of both together."""
    rng = np.random.default_rng(2)
    rejected = []
    for _ in range(600):
        gaps = rng.normal(size=(5, 1)) + of_items * rng.normal(size=(1, 150))
        gaps = gaps + of_items / 2 * rng.normal(size=(5, 150))
        draws = r.mean_draws(gaps, 150, rng)
        errors = r.bootstrapped(draws, np.zeros_like(draws), True, rng)
        rejected.append(r.p_of_both(paired(gaps.mean(axis=1)), errors.error) < 0.05)
    assert np.mean(rejected) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 600)
