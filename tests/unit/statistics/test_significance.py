"""The tests on the scores of seeds against closed forms, enumerations and luck itself."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from semblance.statistics import significance as s

A, B = [1.0, 2.0, 4.0], [3.0, 5.0, 6.0, 9.0]
PAIRS = [0.3, -0.1, 0.4, 0.2, 0.7]


@pytest.mark.parametrize(
    "found, expected",
    [
        (s.paired(PAIRS), stats.ttest_1samp(PAIRS, 0)),
        (s.unpaired([1, -1], [A, B]), stats.ttest_ind(A, B, equal_var=False)),
    ],
    ids=["paired: Student's", "unpaired: Welch's"],
)
def test_p_and_interval_are_those_of_the_t_test(found, expected):
    assert found.p() == pytest.approx(expected.pvalue, rel=1e-12)
    assert found.interval() == pytest.approx(tuple(expected.confidence_interval()), rel=1e-12)


def test_the_weights_of_an_unpaired_sum_scale_its_samples():
    doubled = s.unpaired([1, -1], [2 * np.array(A), B])
    assert s.unpaired([2, -1], [A, B]) == doubled


def test_leading_axes_are_tests_of_their_own():
    several = np.array([PAIRS, [1.0, 2.0, 3.0, 4.0, 6.0]])
    each = [float(s.paired(row).p()) for row in several]
    assert s.paired(several).p() == pytest.approx(each)
    flips = [float(s.p_sign_flips(row)) for row in several]
    assert s.p_sign_flips(several) == pytest.approx(flips)


def test_equivalence_is_the_larger_of_two_one_sided_tests():
    above = stats.ttest_1samp(PAIRS, -0.5, alternative="greater").pvalue
    below = stats.ttest_1samp(PAIRS, 0.5, alternative="less").pvalue
    assert s.paired(PAIRS).p_equivalence(0.5) == pytest.approx(max(above, below), rel=1e-9)


def test_the_sign_flip_p_is_what_enumeration_finds():
    sums = [abs(np.dot(signs, PAIRS)) for signs in itertools.product((-1, 1), repeat=5)]
    exact = sum(total >= abs(sum(PAIRS)) - 1e-12 for total in sums) / len(sums)
    assert s.p_sign_flips(PAIRS) == pytest.approx(exact)


@pytest.mark.parametrize(
    "more", [(3, 1, -5, -3, 4), (-8, 2, 2, 8, -4), (-4, -6, 3, -2, 8), (8, -7, -6, -2, 7)]
)
def test_sums_that_are_equal_but_for_their_last_bits_are_equal(more):
    """Of 144 questions 70 were answered rightly by the control, and so many more by the row."""
    sums = [abs(np.dot(signs, more)) for signs in itertools.product((-1, 1), repeat=5)]
    exact = sum(total >= abs(sum(more)) for total in sums) / len(sums)  # of whole numbers
    assert s.p_sign_flips([100 * (70 + n) / 144 - 100 * 70 / 144 for n in more]) == exact


def test_the_p_of_exchanged_labels_is_what_enumeration_finds():
    values = np.array(A + B)
    gaps = [
        abs(values[list(chosen)].mean() - np.delete(values, chosen).mean())
        for chosen in itertools.combinations(range(7), 3)
    ]
    observed = abs(np.mean(A) - np.mean(B))
    exact = sum(gap >= observed - 1e-12 for gap in gaps) / len(gaps)
    assert s.p_relabelled(A, B) == pytest.approx(exact)


def test_the_sign_flip_p_of_many_values_is_drawn_and_repeatable():
    many = np.random.default_rng(0).normal(0.5, 1, 20)
    p = s.p_sign_flips(many)
    assert p == s.p_sign_flips(many)
    assert p == pytest.approx(s.paired(many).p(), abs=0.02)


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


def test_holm_multiplies_the_smallest_p_by_their_number_and_keeps_their_order():
    # .01 x 4; .02 x 3; .03 x 2, but not below the one before; .5 x 1
    assert s.holm([0.5, 0.01, 0.03, 0.02]) == pytest.approx([0.5, 0.04, 0.06, 0.06])
    assert s.holm([0.6, 0.9]) == [1.0, 1.0]
    assert s.holm([]) == []


@pytest.mark.parametrize("n", [3, 5, 7])
def test_the_detectable_difference_is_shown_by_eighty_percent_of_the_samples(n):
    rng = np.random.default_rng(n)
    shown = s.noncentrality(n - 1) / math.sqrt(n)  # in units of the true sd of the differences
    share = np.mean(s.paired(rng.normal(shown, 1, (4000, n))).p() < 0.05)
    assert share == pytest.approx(0.8, abs=4 * math.sqrt(0.8 * 0.2 / 4000))


@pytest.mark.parametrize("size", [0.1, 0.93, 5.0])
def test_the_seeds_to_show_a_difference_are_the_fewest_that_suffice(size):
    n = s.seeds_to_show(size, 0.8)
    assert s.noncentrality(n - 1) * 0.8 / math.sqrt(n) <= size
    assert n == 2 or s.noncentrality(n - 2) * 0.8 / math.sqrt(n - 1) > size


def test_too_many_seeds_are_none():
    assert s.seeds_to_show(1e-6, 0.8) is None


@pytest.mark.parametrize("margin", [0.3, 0.5, 1.0])
def test_with_the_seeds_to_equal_eighty_percent_of_equal_methods_are_found_equal(margin):
    n = s.seeds_to_equal(margin, 0.8)
    samples = np.random.default_rng(0).normal(0, 0.8, (2000, n))
    share = np.mean(s.paired(samples).p_equivalence(margin) < 0.025)
    assert share == pytest.approx(0.8, abs=0.08)  # the sd is estimated, and n is a whole number


def test_both_p_values_are_those_of_the_intervals_that_end_at_their_limits():
    found = s.Estimate(0.7, 0.2, 4, more=0.4)
    assert found.reach(1 - found.p()) == pytest.approx(0.7)
    assert found.p() > s.Estimate(0.7, 0.2, 4).p()
    assert found.reach(1 - 2 * found.p_equivalence(1.5)) == pytest.approx(0.8)
    assert found.p_equivalence(0.7) == 0.5 < found.p_equivalence(0.5)
    assert s.Estimate(0.0, 0.2, 4, more=0.4).p() == 1.0
    assert s.Estimate(1e9, 0.2, 40, more=0.4).p() == s.LEAST_P


@pytest.mark.parametrize("margin", [0.4, 0.6, 1.0])
def test_an_interval_lies_within_a_margin_where_each_one_sided_test_has_half_of_alpha(margin):
    for found in (s.Estimate(0.3, 0.1, 4), s.Estimate(0.3, 0.05, 4, more=0.1)):
        low, high = found.interval()
        assert (-margin < low and high < margin) == (found.p_equivalence(margin) < s.ALPHA / 2)
    assert s.Estimate(0.0, 0.01, 1, seeds=2).p_equivalence(margin) == 1.0
