"""Correlations against scipy, rankings against brute force, geometry against double loops."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from semblance.evaluation.geometry import alignment, uniformity
from semblance.evaluation.metrics import (
    accuracy_at,
    average_precision,
    cosine_pairs,
    pearson,
    ranks,
    relevant_ranks,
    spearman,
)
from semblance.models.vectors import collapsed, unit

tied = st.lists(st.integers(-3, 3).map(float), min_size=2, max_size=30)
free = st.lists(st.floats(-1e3, 1e3).map(lambda v: round(v, 6)), min_size=2, max_size=30)


def two_columns(values):
    return st.integers(2, 30).flatmap(
        lambda n: st.tuples(*[st.lists(values, min_size=n, max_size=n)] * 2)
    )


both = two_columns(st.integers(-3, 3).map(float)) | two_columns(
    st.floats(-1e3, 1e3).map(lambda v: round(v, 6))
)


def by_scipy(function, x, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy warns of a constant side and returns NaN
        return float(function(x, y)[0])


@settings(deadline=None)
@given(tied | free)
def test_ranks_are_scipys_mean_ranks(values):
    assert ranks(np.array(values)).tolist() == stats.rankdata(values).tolist()


@settings(deadline=None)
@given(both)
def test_spearman_is_scipys(columns):
    x, y = columns
    assert spearman(np.array(x), np.array(y)) == pytest.approx(
        by_scipy(stats.spearmanr, x, y), abs=1e-9, nan_ok=True
    )


@settings(deadline=None)
@given(both.filter(lambda columns: all(np.std(c) > 1e-3 for c in columns)))
def test_pearson_is_scipys(columns):
    x, y = columns
    assert pearson(np.array(x), np.array(y)) == pytest.approx(
        by_scipy(stats.pearsonr, x, y), abs=1e-9
    )


@pytest.mark.parametrize("function", [pearson, spearman])
@pytest.mark.parametrize("constant", [0.0, 1.0, 0.1, 1 / 3, 0.9999999])
@pytest.mark.parametrize("n", [3, 10, 37])
def test_a_constant_side_has_no_correlation(function, constant, n):
    gold = np.arange(n, dtype=float)
    assert math.isnan(function(np.full(n, constant), gold)) and math.isnan(
        function(gold, np.full(n, constant))
    )


@pytest.mark.parametrize("function", [pearson, spearman])
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_a_value_that_is_not_finite_has_no_correlation(function, bad):
    x, y = np.array([1.0, 2.0, 3.0]), np.array([1.0, bad, 2.0])
    assert math.isnan(function(x, y)) and math.isnan(function(y, x))


@pytest.mark.parametrize("function", [pearson, spearman])
def test_float32_input_is_reckoned_in_float64(function):
    x = (np.arange(50) + 1e4).astype(np.float32)
    assert function(x, -x) == pytest.approx(-1.0, abs=1e-12)


def test_the_cosine_of_pairs_is_that_of_a_loop_and_undefined_for_a_zero_vector():
    left, right = (
        np.array([[1.0, 2.0], [3.0, -1.0], [0.0, 0.0]]),
        np.array([[2.0, 1.0], [-3.0, 1.0], [1.0, 1.0]]),
    )
    found = cosine_pairs(left, right)
    assert found[:2] == pytest.approx([4 / 5, -1.0])
    assert math.isnan(found[2])


def brute_ranks(scores, relevant):
    """Ranks by sorting: score descending, then candidate number."""
    ranking = sorted(range(len(scores)), key=lambda i: (-scores[i], i))
    return sorted(ranking.index(i) + 1 for i in relevant)


cases = st.lists(st.integers(0, 4).map(float), min_size=1, max_size=12).flatmap(
    lambda scores: st.tuples(st.just(scores), st.sets(st.integers(0, len(scores) - 1), min_size=1))
)


@settings(deadline=None)
@given(cases)
def test_ties_are_ranked_by_candidate_number(case):
    scores, relevant = case
    assert relevant_ranks(np.array(scores), np.array(sorted(relevant))).tolist() == brute_ranks(
        scores, relevant
    )


@settings(deadline=None)
@given(cases)
def test_average_precision_is_the_mean_precision_at_all_relevant_answers(case):
    scores, relevant = case
    ranking = sorted(range(len(scores)), key=lambda i: (-scores[i], i))
    found, precisions = 0, []
    for place, candidate in enumerate(ranking, 1):
        if candidate in relevant:
            found += 1
            precisions.append(found / place)
    ours = average_precision(relevant_ranks(np.array(scores), np.array(list(relevant))))
    assert ours == pytest.approx(sum(precisions) / len(relevant), rel=1e-12)


@settings(deadline=None)
@given(cases)
def test_accuracy_at_k_tells_whether_a_relevant_answer_is_among_the_first_k(case):
    scores, relevant = case
    ranking = sorted(range(len(scores)), key=lambda i: (-scores[i], i))
    found = relevant_ranks(np.array(scores), np.array(list(relevant)))
    values = [accuracy_at(found, k) for k in (1, 3, 5)]
    assert values == [float(any(c in relevant for c in ranking[:k])) for k in (1, 3, 5)]
    assert values == sorted(values)


@settings(deadline=None)
@given(cases)
def test_with_one_relevant_answer_average_precision_is_the_reciprocal_rank(case):
    scores, relevant = case
    one = min(relevant)
    assert (
        average_precision(relevant_ranks(np.array(scores), np.array([one])))
        == 1 / brute_ranks(scores, {one})[0]
    )


def normalised(vectors):
    return [[v / math.sqrt(sum(w * w for w in row)) for v in row] for row in vectors.tolist()]


def squared_distance(x, y):
    return sum((a - b) ** 2 for a, b in zip(x, y, strict=True))


@pytest.mark.parametrize("n,d", [(2, 2), (7, 3), (20, 8)])
def test_alignment_and_uniformity_are_those_of_plain_loops(n, d):
    generator = np.random.default_rng(0)
    left, right = generator.normal(size=(2, n, d)) + 0.3
    x, y = normalised(left), normalised(right)
    assert alignment(left, right) == pytest.approx(sum(map(squared_distance, x, y)) / n, rel=1e-12)
    pairs = [
        math.exp(-2 * squared_distance(x[i], x[j])) for i in range(n) for j in range(n) if i < j
    ]
    assert uniformity(left) == pytest.approx(math.log(sum(pairs) / len(pairs)), rel=1e-9)


def test_alignment_and_uniformity_do_not_see_the_length_of_a_vector():
    generator = np.random.default_rng(1)
    left, right, lengths = (
        generator.normal(size=(5, 3)),
        generator.normal(size=(5, 3)),
        generator.uniform(1, 9, (5, 1)),
    )
    assert alignment(left * lengths, right) == pytest.approx(alignment(left, right))
    assert uniformity(left * lengths) == pytest.approx(uniformity(left))
    assert np.linalg.norm(unit(left), axis=1) == pytest.approx(np.ones(5))


def test_opposite_vectors_have_the_closed_form():
    poles = np.array([[1.0, 0.0], [-1.0, 0.0]])
    assert alignment(poles, -poles) == 4.0
    assert uniformity(poles) == pytest.approx(-8.0)  # |x - y|² = 4, times -2


def test_vectors_that_all_point_one_way_have_collapsed():
    spread = np.random.default_rng(2).normal(size=(50, 8))
    one_way = np.ones((50, 8)) * np.linspace(0.5, 2, 50)[:, None]
    assert collapsed(one_way) and collapsed(one_way + 1e-6 * spread)
    assert not collapsed(spread) and not collapsed(one_way + 0.01 * spread)
