"""Choosing a way to answer, and comparing it with others."""

import numpy as np
import pytest

from semblance.answering.evidence import FoldResult, choose, choose_by_fold, compare, joined


def fold(dev, precision):
    values = np.asarray(precision, np.float64)
    return FoldResult(dev, values, values == 1, values, values)


WAYS = {
    "words": [fold(0.5, [0.1, 0.2]), fold(0.9, [0.3])],
    "vectors": [fold(0.8, [1.0, 0.5]), fold(0.5, [0.7])],
}


def test_the_highest_mean_dev_score_wins():
    assert choose(WAYS) == "words"  # .7 and .65


def test_of_equal_dev_scores_the_first_wins():
    assert choose({"one": [fold(0.5, [0])], "other": [fold(0.5, [1])]}) == "one"


def test_each_fold_is_tested_with_the_way_that_its_own_dev_questions_choose():
    assert joined(choose_by_fold(WAYS), "precision").tolist() == [1.0, 0.5, 0.3]


def test_the_verdict_needs_an_interval_that_excludes_zero():
    generator = np.random.default_rng(0)
    theirs = generator.uniform(0, 0.5, 200)
    assert compare([fold(0, theirs + 0.1)], [fold(0, theirs)]).word == "better"
    assert compare([fold(0, theirs)], [fold(0, theirs + 0.1)]).word == "worse"
    noise = generator.normal(0, 0.3, 200)
    found = compare([fold(0, theirs + noise - noise.mean())], [fold(0, theirs)])
    assert found.word == "no better" and found.difference == pytest.approx(0, abs=1e-12)


def test_the_interval_is_that_of_the_mean_of_the_differences():
    """With many questions the percentile interval comes near the normal one."""
    generator = np.random.default_rng(2)
    differences = generator.normal(0.05, 0.2, 2000)
    found = compare([fold(0, differences)], [fold(0, np.zeros(2000))])
    half = 1.96 * differences.std() / np.sqrt(2000)
    assert found.low == pytest.approx(differences.mean() - half, abs=0.001)
    assert found.high == pytest.approx(differences.mean() + half, abs=0.001)


def test_equal_ways_are_no_better():
    same = [fold(0, [0.5, 1.0])]
    assert compare(same, same).word == "no better"
