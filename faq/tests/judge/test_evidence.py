"""Choosing a way to answer, and comparing it with others."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from semblance_faq.judge.evidence import (
    LEVEL,
    RESAMPLES,
    FoldResult,
    beats,
    choices_by_fold,
    choose,
    choose_by_fold,
    clusters_of,
    compare,
    joined,
    mean_interval,
)


def fold(precision):
    values = np.asarray(precision, np.float64)
    return FoldResult(values, values == 1, values, values, np.arange(len(values)))


def noisy(mean, error):
    """A fold of 100 questions whose mean has this standard error."""
    values = np.random.default_rng(0).normal(size=100)
    values = (values - values.mean()) / np.sqrt((values**2).sum() * 100 / 99) * 100
    return [fold(mean + error * values)]


@pytest.mark.parametrize("lead, kept", [(-0.1, "simple"), (0.009, "simple"), (0.011, "other")])
def test_a_way_replaces_a_simpler_one_if_it_is_better_by_more_than_one_standard_error(lead, kept):
    simple = [fold(np.zeros(100))]
    assert choose({"simple": simple, "other": noisy(lead, 0.01)}) == kept


def test_a_way_that_follows_must_beat_the_one_that_is_kept_and_not_the_best_alone():
    ways = {"one": [fold(np.zeros(100))], "two": noisy(0.5, 0.01), "three": noisy(0.5, 0.02)}
    assert choose(ways) == "two"


def test_the_error_of_questions_of_one_cluster_is_that_of_one_question():
    """Ten wordings of each of ten entries, all alike: no surer than ten questions."""
    values = noisy(0.02, 0.01)[0].precision[:10]
    of_entry = replace(fold(np.repeat(values, 10)), cluster=np.repeat(np.arange(10), 10))
    for found in ([of_entry], [fold(values)]):
        zero = [replace(each, precision=np.zeros_like(each.precision)) for each in found]
        error = values.std(ddof=1) / np.sqrt(10)
        assert beats(found, zero) == (values.mean() > error)
        moved = [replace(each, precision=each.precision - values.mean() + error) for each in found]
        assert not beats([replace(moved[0], precision=moved[0].precision - 1e-6)], zero)
        assert beats([replace(moved[0], precision=moved[0].precision + 1e-6)], zero)


def test_each_fold_is_tested_with_the_way_that_all_other_folds_choose():
    low, high = np.full(50, 0.2), np.full(50, 0.8)
    ways = {
        "words": [fold(high), fold(low), fold(low)],
        "vectors": [fold(low), fold(high), fold(high)],
    }
    # Without its own questions each fold sees: vectors ahead; a tie; a tie, which the simpler wins.
    assert choices_by_fold(ways) == ["vectors", "words", "words"]
    tests = joined(choose_by_fold(ways), "precision").tolist()
    assert tests == [*low, *low, *low]


def test_the_verdict_needs_an_interval_that_excludes_zero():
    generator = np.random.default_rng(0)
    theirs = generator.uniform(0, 0.5, 200)
    assert compare([fold(theirs + 0.1)], [fold(theirs)]).word == "better"
    assert compare([fold(theirs)], [fold(theirs + 0.1)]).word == "worse"
    noise = generator.normal(0, 0.3, 200)
    found = compare([fold(theirs + noise - noise.mean())], [fold(theirs)])
    assert found.word == "no better" and found.difference == pytest.approx(0, abs=1e-12)
    same = [fold([0.5, 1.0])]
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
    found = mean_interval(differences, clusters)
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
        low, high = mean_interval(0.2 * (of_entry + own).ravel(), clusters)
        false += low > 0 or high < 0
    assert false <= 10 + 2.6 * np.sqrt(200 * 0.05 * 0.95)  # of 100 samples one may have more


def test_one_cluster_says_nothing_of_others():
    assert mean_interval(np.array([0.2, 0.3, 0.4]), np.zeros(3, int)) == (-1, 1)
