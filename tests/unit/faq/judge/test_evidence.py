"""Choosing a way to answer, and comparing it with others."""

import numpy as np
import pytest
from scipy import stats

from semblance_faq.judge.evidence import (
    LEVEL,
    RESAMPLES,
    FoldResult,
    choose,
    choose_by_fold,
    clusters_of,
    compare,
    joined,
    mean_interval,
)


def fold(dev, precision):
    values = np.asarray(precision, np.float64)
    return FoldResult(dev, values, values == 1, values, values, np.arange(len(values)))


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
    same = [fold(0, [0.5, 1.0])]
    assert compare(same, same).word == "no better"


def test_questions_that_share_a_right_answer_are_one_cluster_also_through_others():
    found = clusters_of([{1}, {2}, {1, 3}, {3}, set(), {4, 2}]).tolist()
    assert found[0] == found[2] == found[3]
    assert found[1] == found[5]
    assert len(set(found)) == 3  # and one of the question without an answer


def test_with_one_question_a_cluster_the_interval_is_the_plain_bootstrap():
    differences = np.random.default_rng(3).normal(0.02, 0.3, 150)
    clusters = np.random.default_rng(4).permutation(150)
    plain = stats.bootstrap(
        (differences,),
        np.mean,
        n_resamples=RESAMPLES,
        confidence_level=LEVEL,
        method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval
    found = mean_interval(differences, clusters, LEVEL)
    assert found == pytest.approx((plain.low, plain.high), abs=1e-12)


@pytest.mark.parametrize("entries", [8, 60])
def test_wordings_that_are_alike_do_not_make_a_verdict_surer(entries):
    """Without a true difference about 5 % of the verdicts may find one: here 10 of 200 intervals."""
    generator = np.random.default_rng(5)
    wordings = 5
    clusters = np.repeat(np.arange(entries), wordings)
    false = 0
    for _ in range(200):
        of_entry = generator.normal(0, np.sqrt(0.3), (entries, 1))
        own = generator.normal(0, np.sqrt(0.7), (entries, wordings))
        low, high = mean_interval(0.2 * (of_entry + own).ravel(), clusters, LEVEL)
        false += low > 0 or high < 0
    assert false <= 10 + 2.6 * np.sqrt(200 * 0.05 * 0.95)  # of 100 samples one may have more


def test_one_cluster_says_nothing_of_others():
    assert mean_interval(np.array([0.2, 0.3, 0.4]), np.zeros(3, int), LEVEL) == (-1, 1)
