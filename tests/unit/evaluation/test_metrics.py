"""Correlations against scipy, rankings against brute force, geometry against double loops."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from semblance.evaluation.metrics import (
    accuracy_at,
    alignment,
    average_precision,
    cosine_pairs,
    pearson,
    ranks,
    relevant_ranks,
    spearman,
    uniformity,
)
from semblance.models.vectors import collapsed

SCIPY = {pearson: stats.pearsonr, spearman: stats.spearmanr}
correlations = pytest.mark.parametrize("function", SCIPY)
TIED = st.integers(-3, 3).map(float)
FREE = st.floats(-1e3, 1e3).map(lambda v: round(v, 6))


def two_columns(values):
    pairs = st.lists(st.tuples(values, values), min_size=2, max_size=30)
    return pairs.map(lambda rows: np.array(rows).T)


@settings(deadline=None)
@given(st.lists(TIED, min_size=2, max_size=30) | st.lists(FREE, min_size=2, max_size=30))
def test_ranks_are_scipys_mean_ranks(values):
    assert ranks(np.array(values)).tolist() == stats.rankdata(values).tolist()


@correlations
@settings(deadline=None)
@given(columns=two_columns(TIED) | two_columns(FREE))
def test_a_correlation_is_scipys(function, columns):
    if function is pearson and (columns.std(axis=1) <= 1e-3).any():
        return  # where rounding decides
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy warns of a constant side and returns NaN
        expected = float(SCIPY[function](*columns)[0])
    assert function(*columns) == pytest.approx(expected, abs=1e-9, nan_ok=True)


@correlations
@pytest.mark.parametrize("constant", [0.0, 1.0, 0.1, 1 / 3, 0.9999999])
@pytest.mark.parametrize("n", [3, 10, 37])
def test_a_constant_side_has_no_correlation(function, constant, n):
    gold = np.arange(n, dtype=float)
    same = np.full(n, constant)
    assert math.isnan(function(same, gold)) and math.isnan(function(gold, same))


@correlations
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_a_value_that_is_not_finite_has_no_correlation(function, bad):
    x, y = np.array([1.0, 2.0, 3.0]), np.array([1.0, bad, 2.0])
    assert math.isnan(function(x, y)) and math.isnan(function(y, x))


@correlations
def test_float32_input_is_reckoned_in_float64(function):
    x = (np.arange(50) + 1e4).astype(np.float32)
    assert function(x, -x) == pytest.approx(-1.0, abs=1e-12)


def test_the_cosine_of_pairs_is_that_of_a_loop_and_undefined_for_a_zero_vector():
    left = np.array([[1.0, 2.0], [3.0, -1.0], [0.0, 0.0]])
    right = np.array([[2.0, 1.0], [-3.0, 1.0], [1.0, 1.0]])
    found = cosine_pairs(left, right)
    assert found[:2] == pytest.approx([4 / 5, -1.0])
    assert math.isnan(found[2])


cases = st.lists(st.integers(0, 4).map(float), min_size=1, max_size=12).flatmap(
    lambda scores: st.tuples(st.just(scores), st.sets(st.integers(0, len(scores) - 1), min_size=1))
)


@settings(deadline=None)
@given(cases)
def test_rankings_are_those_of_a_loop_and_ties_go_to_the_smaller_number(case):
    scores, relevant = case
    ranking = sorted(range(len(scores)), key=lambda i: (-scores[i], i))
    places = [place for place, i in enumerate(ranking, 1) if i in relevant]
    found = relevant_ranks(np.array(scores), np.array(sorted(relevant)))
    assert found.tolist() == places
    # The mean of the precision at the place of each relevant answer; of one answer 1 / its rank.
    precisions = [number / place for number, place in enumerate(places, 1)]
    assert average_precision(found) == pytest.approx(sum(precisions) / len(relevant), rel=1e-12)
    assert average_precision(found[:1]) == 1 / places[0]
    for k in (1, 3, 5):
        assert accuracy_at(found, k) == float(any(i in relevant for i in ranking[:k]))


def squared_distance(x, y):
    return sum((a - b) ** 2 for a, b in zip(x, y, strict=True))


@pytest.mark.parametrize("n,d", [(2, 2), (7, 3), (20, 8)])
def test_alignment_and_uniformity_are_those_of_plain_loops_over_directions(n, d):
    left, right = np.random.default_rng(0).normal(size=(2, n, d)) + 0.3
    x, y = (
        [[v / math.hypot(*row) for v in row] for row in side.tolist()] for side in (left, right)
    )
    assert alignment(left, right) == pytest.approx(sum(map(squared_distance, x, y)) / n, rel=1e-12)
    pairs = [
        math.exp(-2 * squared_distance(x[i], x[j])) for i in range(n) for j in range(n) if i < j
    ]
    assert uniformity(left) == pytest.approx(math.log(sum(pairs) / len(pairs)), rel=1e-9)


def test_vectors_that_all_point_one_way_have_collapsed():
    spread = np.random.default_rng(2).normal(size=(50, 8))
    one_way = np.ones((50, 8)) * np.linspace(0.5, 2, 50)[:, None]
    assert collapsed(one_way) and collapsed(one_way + 1e-6 * spread)
    assert not collapsed(spread) and not collapsed(one_way + 0.01 * spread)
