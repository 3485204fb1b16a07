"""Numbers as the page prints them."""

import pytest

from workflow.report import numbers


@pytest.mark.parametrize(
    "value, text", [(1.005, "+1.00"), (-0.5, "−0.50"), (-0.001, "+0.00"), (0, "+0.00"), (None, "")]
)
def test_a_difference_has_its_sign_and_a_real_minus(value, text):
    assert numbers.signed(value) == text


@pytest.mark.parametrize(
    "value, text", [(0.00001, "< .0001"), (0.04, ".0400"), (1.0, "1.0000"), (None, "")]
)
def test_a_p_value_has_four_digits(value, text):
    assert numbers.probability(value) == text


@pytest.mark.parametrize(
    "seconds, text", [(3.4, "3 s"), (99, "99 s"), (100, "2 min"), (5940, "99 min"), (7200, "2.0 h")]
)
def test_a_time_is_told_in_the_largest_unit_that_fits(seconds, text):
    assert numbers.duration(seconds) == text


@pytest.mark.parametrize("size, text", [(2e3, "2 kB"), (5e6, "5 MB"), (8.24e9, "8.2 GB")])
def test_a_size_is_told_in_the_largest_unit_that_fits(size, text):
    assert numbers.size(size) == text


def test_an_interval_needs_both_ends():
    assert numbers.interval(-1.0, 2.0) == "[−1.00, +2.00]"
    assert numbers.interval(None, 2.0) == ""
