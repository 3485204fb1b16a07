"""The threshold of a stated precision: exact tests, and what they promise on fresh questions."""

from math import ceil, comb, inf

import numpy as np
import pytest

from semblance_faq.judge.threshold import (
    RISK,
    TRIED,
    Tried,
    can_show,
    certify,
    fewest_questions,
    find_floor,
    questions_like,
    refused,
    tried_thresholds,
)


def chance(wrong: int, answered: int, error: float) -> float:
    """The probability of so few wrong answers at an error rate, summed from its definition."""
    return sum(
        comb(answered, k) * error**k * (1 - error) ** (answered - k) for k in range(wrong + 1)
    )


@pytest.mark.parametrize("wrong", [0, 100])
def test_the_threshold_is_the_lowest_that_passes_the_exact_test(wrong):
    confidence = np.arange(200.0)
    found = certify(confidence, confidence >= wrong, 0.8)  # below, every answer is wrong
    passing = []
    for part in range(1, TRIED + 1):
        answered = 200 * part // TRIED
        errors = max(0, answered - (200 - wrong))
        if chance(errors, answered, 0.2) <= RISK / TRIED:
            passing.append((answered, errors))
    answered, errors = max(passing)
    assert found.answered == answered / 200 and found.precision == 1 - errors / answered
    assert found.score == confidence[200 - answered]


def test_without_questions_or_with_too_few_right_answers_there_is_no_threshold():
    assert certify(np.array([]), np.array([]), 0.9) is None
    half_right = np.arange(500) % 2 == 0
    assert certify(np.random.default_rng(0).normal(size=500), half_right, 0.9) is None


def test_the_precision_on_fresh_questions_is_rarely_lower_than_stated():
    """The promise itself: 400 draws from a known law, each threshold held against that law."""
    generator = np.random.default_rng(1)
    failures = found = 0
    for _ in range(400):
        confidence = generator.uniform(size=600)
        right = generator.uniform(size=600) < confidence  # P(right | c) = c
        certified = certify(confidence, right, 0.8)
        if certified is not None:
            found += 1
            true = (1 - certified.score**2) / 2 / (1 - certified.score)  # the mean of c above it
            failures += true < 0.8
    assert found > 200
    assert failures / 400 <= RISK


@pytest.mark.parametrize("threshold,share", [(0.0, 0.0), (0.5, 0.5), (2.0, 1.0)])
def test_the_share_refused_counts_what_lies_below_the_threshold(threshold, share):
    assert refused(np.array([0.1, 0.4, 0.5, 0.9]), threshold) == share


def test_a_tried_threshold_counts_where_its_bound_reaches_the_stated_precision():
    confidence = np.arange(300.0)
    right = np.arange(300) % 30 > 0
    points = tried_thresholds(confidence, right)
    certified = certify(confidence, right, 0.9)
    assert [point.answered for point in points] == [part / TRIED for part in range(TRIED, 0, -1)]
    first = next(point for point in points if point.low >= 0.9)
    assert (first.score, first.precision) == (certified.score, certified.precision)
    assert certified.precision_interval[0] < certified.precision < certified.precision_interval[1]
    assert certified.questions == 300


@pytest.mark.parametrize("precision, fewest", [(0.9, 44), (0.85, 29), (0.8, 21)])
def test_what_can_be_promised_is_what_the_exact_test_shows_of_right_answers_alone(
    precision, fewest
):
    assert fewest_questions(precision) == fewest
    for questions, shown in ((fewest - 1, False), (fewest, True)):
        found = certify(np.arange(float(questions)), np.ones(questions, bool), precision)
        assert (found is not None) == shown == (can_show(questions) >= precision)


@pytest.mark.parametrize("right, answered", [(1.0, 0.5), (0.95, 1.0), (0.9, 1.0)])
def test_more_questions_that_are_answered_alike_show_a_precision_or_never(right, answered):
    """The fewest by trying each number: so many wrong answers are unlikely where one of ten is wrong."""
    needed = questions_like(Tried(0.5, answered, right, 0.0), 0.9)
    passing = [
        number
        for number in range(1, 500)
        if chance(ceil(number * (1 - right) - 1e-9), number, 0.1) <= RISK / TRIED
    ]
    assert needed == (ceil(passing[0] / answered) if right > 0.9 else inf)


def test_the_floor_lies_just_above_the_questions_from_other_fields():
    found = find_floor(
        np.array([0.5, 0.6, 0.2]), np.array([True, True, False]), np.array([0.1, 0.45, np.nan]),
        np.array([0.3, 0.4]),
    )  # fmt: skip
    assert 0.4 < found.score < 0.4 + 1e-9
    assert (found.right, found.without_entry, found.other_fields) == (0.0, 0.5, 1.0)


def test_the_floor_refuses_at_most_one_of_fifty_right_answers():
    confidence = np.linspace(0.01, 1.0, 100)
    found = find_floor(confidence, np.ones(100, bool), np.full(100, np.nan), np.array([0.9]))
    assert found.score == pytest.approx(0.03) and found.right == pytest.approx(0.02)
    assert found.without_entry is None and found.other_fields == 0.0
    few = find_floor(confidence[:10], np.ones(10, bool), confidence[:10], np.array([0.9]))
    assert few.score == pytest.approx(0.01) and few.right == 0.0


def test_the_floor_does_not_lie_above_the_threshold():
    right = np.ones(3, bool)
    scores = np.array([0.5, 0.6, 0.7])
    found = find_floor(scores, right, np.array([0.35]), np.array([0.2, 0.4]), highest=0.3)
    assert (found.score, found.other_fields, found.without_entry) == (0.3, 0.5, 0.0)
