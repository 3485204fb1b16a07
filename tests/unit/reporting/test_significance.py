"""The tests of significance against closed forms, enumerations and luck itself."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from semblance.reporting import significance as s


def test_welch_agrees_with_its_formula():
    a, b = [1.0, 2.0, 4.0], [3.0, 5.0, 6.0, 9.0]
    va, vb = np.var(a, ddof=1) / 3, np.var(b, ddof=1) / 4
    t = (np.mean(a) - np.mean(b)) / math.sqrt(va + vb)
    freedom = (va + vb) ** 2 / (va**2 / 2 + vb**2 / 3)
    assert s.welch(a, b) == pytest.approx(2 * stats.t.sf(abs(t), freedom), rel=1e-12)


def test_one_sample_agrees_with_its_formula():
    a = [1.0, 2.0, 4.0]
    t = (np.mean(a) - 0.5) / (np.std(a, ddof=1) / math.sqrt(3))
    assert s.one_sample(a, 0.5) == pytest.approx(2 * stats.t.sf(abs(t), 2), rel=1e-12)


@pytest.mark.parametrize(
    "p",
    [
        s.welch([1.0], [1.0, 2.0]),
        s.welch([1.0, 1.0], [2.0, 2.0]),
        s.one_sample([1.0], 0.0),
        s.one_sample([1.0, 1.0], 0.0),
    ],
)
def test_p_is_undefined_without_spread(p):
    assert math.isnan(p)


@pytest.mark.parametrize("n, m", [(1, 1), (2, 2), (3, 3), (2, 4), (4, 3)])
def test_the_smallest_permutation_p_is_what_enumeration_finds(n, m):
    values = np.arange(n + m) ** 2.0  # no two dealings tie by chance
    gaps = [
        abs(values[list(chosen)].mean() - np.delete(values, chosen).mean())
        for chosen in itertools.combinations(range(n + m), n)
    ]
    smallest = sum(gap >= max(gaps) - 1e-12 for gap in gaps) / len(gaps)
    assert s.smallest_p_permutation(n, m) == pytest.approx(smallest)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_the_smallest_sign_flip_p_is_what_enumeration_finds(n):
    values = np.arange(1, n + 1)
    sums = [abs(np.dot(signs, values)) for signs in itertools.product((-1, 1), repeat=n)]
    assert s.smallest_p_signs(n) == sum(total == max(sums) for total in sums) / len(sums)


def test_weighted_correlations_are_spearman_without_resampling():
    rng = np.random.default_rng(0)
    gold, sims = rng.integers(0, 6, 50), rng.normal(size=(3, 50)).round(1)  # both with ties
    found = s.weighted_correlations(
        stats.rankdata(gold), stats.rankdata(sims, axis=1), np.ones((1, 50))
    )[0]
    assert found == pytest.approx([stats.spearmanr(gold, row)[0] for row in sims], abs=1e-12)


def test_weighted_correlations_are_pearson_of_the_repeated_ranks():
    rng = np.random.default_rng(1)
    x, y = stats.rankdata(rng.normal(size=30)), stats.rankdata(rng.normal(size=(2, 30)), axis=1)
    counts = np.vstack(list(s.resamples(30, 5, rng)))
    expected = [
        [np.corrcoef(np.repeat(x, c.astype(int)), np.repeat(row, c.astype(int)))[0, 1] for row in y]
        for c in counts
    ]
    assert s.weighted_correlations(x, y, counts) == pytest.approx(np.array(expected), abs=1e-12)


def test_each_resample_draws_as_many_items_as_there_are():
    counts = list(s.resamples(7, 300, np.random.default_rng(0)))
    assert sum(len(part) for part in counts) == 300
    assert all((part.sum(axis=1) == 7).all() for part in counts)


def test_resamples_draw_each_item_equally_often():
    counts = np.vstack(list(s.resamples(5, 20_000, np.random.default_rng(0))))
    assert counts.mean(axis=0) == pytest.approx(np.ones(5), abs=0.05)
    assert counts.var(axis=0) == pytest.approx(
        np.full(5, 0.8), abs=0.05
    )  # multinomial: n p (1 - p) = 5 · .2 · .8


def test_the_bootstrap_of_a_mean_agrees_with_full_enumeration():
    gap = np.array([3.0, -1.0, -0.5])
    means = [np.mean(draw) for draw in itertools.product(gap, repeat=3)]  # all 27 resamples
    exact = 2 * min(np.mean([m <= 0 for m in means]), np.mean([m >= 0 for m in means]))
    assert s.paired_bootstrap_mean(gap, np.zeros(3), 20_000, seed=1) == pytest.approx(
        exact, abs=0.03
    )


def test_p_of_the_bootstrap_counts_one_draw_more_in_each_tail():
    assert s.two_sided(np.array([1.0, 2.0, 3.0])) == 2 * (0 + 1) / (3 + 1)
    assert s.two_sided(np.array([1.0, -2.0, math.nan])) == 1.0
    assert math.isnan(s.two_sided(np.array([math.nan])))
    assert s.smallest_p_bootstrap(3) == s.two_sided(np.array([1.0, 2.0, 3.0]))


def test_an_obvious_difference_reaches_the_smallest_p():
    rng = np.random.default_rng(0)
    gold = rng.normal(size=200)
    good, bad = gold + 0.1 * rng.normal(size=(2, 200)), gold + 3 * rng.normal(size=(3, 200))
    assert s.paired_bootstrap_spearman(gold, good, bad, 500, seed=0) == s.smallest_p_bootstrap(500)
    assert s.paired_bootstrap_spearman(gold, bad, good, 500, seed=0) == s.smallest_p_bootstrap(500)


def test_equal_sides_give_p_one():
    sims = np.random.default_rng(0).normal(size=(2, 40))
    assert s.paired_bootstrap_spearman(np.arange(40.0), sims, sims, 200, seed=0) == 1.0


def test_under_a_true_null_p_is_about_uniform():
    rng = np.random.default_rng(2)
    found = []
    for seed in range(200):
        gold = rng.normal(size=80)
        a, b = gold + rng.normal(size=(2, 1, 80))  # the same law, so no difference
        found.append(s.paired_bootstrap_spearman(gold, a, b, 200, seed))
    # 200 uniform values: mean .5 ± .02, share below .1 is .1 ± .02; four standard errors allowed
    assert np.mean(found) == pytest.approx(0.5, abs=0.085)
    assert np.mean(np.array(found) < 0.1) == pytest.approx(0.1, abs=0.085)


def test_the_same_seed_gives_the_same_p():
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 60))
    assert s.paired_bootstrap_mean(a, b, 300, 5) == s.paired_bootstrap_mean(a, b, 300, 5)
