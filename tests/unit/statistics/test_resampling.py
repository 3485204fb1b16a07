"""The hierarchical bootstrap against closed forms, plain loops and luck itself."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from semblance.statistics import resampling as r
from semblance.statistics.significance import paired


def test_weighted_correlations_are_pearson_of_the_repeated_ranks():
    rng = np.random.default_rng(1)
    x = stats.rankdata(rng.integers(0, 6, 30))  # both with ties
    y = stats.rankdata(rng.normal(size=(3, 30)).round(1), axis=1)
    counts = np.vstack([np.ones(30), *r.resamples(30, 5, rng)])  # the first: without resampling
    expected = [
        [np.corrcoef(np.repeat(x, c.astype(int)), np.repeat(row, c.astype(int)))[0, 1] for row in y]
        for c in counts
    ]
    assert r.weighted_correlations(x, y, counts) == pytest.approx(np.array(expected), abs=1e-12)


def test_resamples_draw_as_many_items_as_there_are_and_each_equally_often():
    counts = np.vstack(list(r.resamples(5, 20_000, np.random.default_rng(0))))
    assert len(counts) == 20_000 and (counts.sum(axis=1) == 5).all()
    assert counts.mean(axis=0) == pytest.approx(np.ones(5), abs=0.05)
    variance = np.full(5, 5 * 0.2 * 0.8)  # multinomial: n p (1 - p)
    assert counts.var(axis=0) == pytest.approx(variance, abs=0.05)


def test_items_of_groups_are_drawn_within_them():
    groups = [np.array([0, 3]), np.array([1, 2, 4])]
    counts = np.vstack(list(r.grouped_resamples(groups, 20_000, np.random.default_rng(0))))
    assert len(counts) == 20_000
    for group in groups:
        size = len(group)
        assert (counts[:, group].sum(axis=1) == size).all()
        variance = np.full(size, 1 - 1 / size)  # multinomial: n p (1 - p) with p = 1 / n
        assert counts[:, group].var(axis=0) == pytest.approx(variance, abs=0.05)


def test_other_groups_are_drawn_whole_and_their_items_within_each_drawing():
    """Of 4 groups of 2: how often one is drawn has variance 1 - 1/4, and of k times half the items k / 2."""
    groups = np.arange(8).reshape(4, 2)
    found = r.grouped_resamples(groups, 20_000, np.random.default_rng(0), other_groups=True)
    counts = np.vstack(list(found))
    times = counts.reshape(-1, 4, 2).sum(axis=2) / 2
    assert (times == times.round()).all() and (times.sum(axis=1) == 4).all()
    assert times.var(axis=0) == pytest.approx(np.full(4, 1 - 1 / 4), abs=0.03)
    # An item is drawn 2k times of p = 1/2: variance E[k / 2] + var(k) = 1/2 + 3/4.
    assert counts.var(axis=0) == pytest.approx(np.full(8, 1 / 2 + 3 / 4), abs=0.05)


def test_correlations_are_over_all_items_or_the_mean_over_groups():
    gold = np.array([1.0, 2, 3, 4, 5, 6])
    similarities = np.array([[1.0, 2, 3, 6, 5, 4]])  # one group in order, the other reversed
    groups = [np.array([0, 1, 2]), np.array([3, 4, 5])]
    whole = r.spearman_draws(gold, similarities, [np.ones((2, 6))])
    assert whole == pytest.approx(np.full((2, 1), 1 - 6 * (4 + 4) / (6 * 35)))
    assert r.spearman_draws(gold, similarities, [np.ones((2, 6))], groups) == pytest.approx(0)


def test_the_draws_of_a_mean_vary_as_the_closed_form_says():
    scores = np.array([[3.0, -1.0, -0.5, 2.0]])
    draws = r.mean_draws(scores, 20_000, np.random.default_rng(0))
    assert draws.mean() == pytest.approx(scores.mean(), abs=0.03)
    assert draws.var() == pytest.approx(scores.var() / 4, rel=0.03)


def test_copies_of_an_item_in_one_group_add_nothing():
    """Whatever each group holds, three copies of it have the same draws as it alone."""
    scores = np.random.default_rng(1).normal(size=(2, 7))
    groups = list("cabgfed")
    alone, copied = (
        r.mean_draws(np.repeat(scores, n, axis=1), 50, np.random.default_rng(0), groups=names)
        for n, names in ((1, groups), (3, np.repeat(groups, 3)))
    )
    assert copied == pytest.approx(alone, abs=1e-12)


def test_groups_of_one_item_each_are_drawn_as_items():
    scores = np.random.default_rng(1).normal(size=(2, 7))
    plain, grouped = (
        r.mean_draws(scores, 50, np.random.default_rng(0), groups)
        for groups in (None, list("abcdefg"))
    )
    assert np.array_equal(plain, grouped)


def test_the_mean_of_drawn_groups_of_two_sizes_is_a_ratio():
    """Of 0 0 0 | 1, two groups are drawn: both (1 of 4, half of the time), or one of them twice."""
    draws = r.mean_draws([[0, 0, 0, 1]], 20_000, np.random.default_rng(0), ["a", "a", "a", "b"])
    values, counts = np.unique(draws, return_counts=True)
    assert values == pytest.approx([0, 1 / 4, 1])
    assert counts / 20_000 == pytest.approx([1 / 4, 1 / 2, 1 / 4], abs=0.02)


def loop_errors(ours, theirs, draws):
    """The standard error of a difference of means, drawn one by one with Python's own numbers."""
    rng = np.random.default_rng(99)
    seeds, items = ours.shape
    drawn = []
    for _ in range(draws):
        chosen = rng.integers(items, size=items)
        gaps = [ours[s, chosen].mean() - theirs[s, chosen].mean() for s in range(seeds)]
        drawn.append(np.mean([gaps[rng.integers(seeds)] for _ in range(seeds - 1)]))
    return np.std(drawn, ddof=1)


def item_variance(ours, theirs):
    """What the items add to the variance of a difference of two rows with the same seeds."""
    seeds = tuple(range(ours.shape[1]))
    found = r.item_covariances([ours, theirs], [seeds, seeds])
    return np.array([1, -1]) @ found @ np.array([1, -1])


def test_seeds_in_closed_form_and_items_agree_with_loops_that_draw_both():
    rng = np.random.default_rng(4)
    shared = rng.normal(size=(1, 60))
    ours = shared + rng.normal(0.3, 1, (4, 60)) + rng.normal(0, 0.2, (4, 1))
    theirs = shared + rng.normal(0, 1, (4, 60)) + rng.normal(0, 0.2, (4, 1))
    draws = r.mean_draws(np.vstack([ours, theirs]), 4000, np.random.default_rng(0))
    of_seeds = paired((ours - theirs).mean(axis=1)).error ** 2
    error = math.sqrt(of_seeds + item_variance(draws[:, :4], draws[:, 4:]))
    assert error == pytest.approx(loop_errors(ours, theirs, 4000), rel=0.06)


def test_items_that_move_all_seeds_alike_cause_the_variance_of_the_mean():
    moved = np.random.default_rng(0).normal(size=(500, 1))
    ours, theirs = np.hstack([moved, moved + 1, moved + 5]), np.zeros((500, 3))
    assert item_variance(ours, theirs) == pytest.approx(moved.var(ddof=1))


def test_rows_without_a_common_list_of_seeds_share_the_variance_of_their_means_alone():
    ours, theirs = np.random.default_rng(0).normal(size=(2, 300, 2))
    (_, shared), _ = r.item_covariances([ours, theirs], [(1, 2), (1, 3)])
    assert shared == pytest.approx(np.cov(ours.mean(axis=1), theirs.mean(axis=1))[0, 1])


def test_an_undefined_draw_is_left_out():
    ours = np.array([[1.0, 1.0], [math.nan, 2.0], [3.0, 3.0]])
    assert item_variance(ours, np.zeros((3, 2))) == pytest.approx(np.var([1.0, 3.0], ddof=1))


@pytest.mark.parametrize("of_items", [0.0, 14.0, 28.0])
def test_without_a_difference_p_errs_as_often_as_it_says(of_items):
    """600 runs of 5 seeds and 150 items: effects of seeds, of items and of both together."""
    rng = np.random.default_rng(2)
    rejected = []
    for _ in range(600):
        gaps = rng.normal(size=(5, 1)) + of_items * rng.normal(size=(1, 150))
        gaps = gaps + of_items / 2 * rng.normal(size=(5, 150))
        draws = r.mean_draws(gaps, 150, rng)
        more = math.sqrt(item_variance(draws, np.zeros_like(draws)))
        rejected.append(replace(paired(gaps.mean(axis=1)), more=more).p() < 0.05)
    assert np.mean(rejected) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 600)
