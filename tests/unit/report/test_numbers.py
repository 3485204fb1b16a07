"""Numbers as the page prints them."""

import pytest

from workflow.report import numbers


@pytest.mark.parametrize(
    "value, text", [(1.005, "+1.00"), (-0.5, "−0.50"), (-0.001, "+0.00"), (0, "+0.00"), (None, "")]
)
def test_a_difference_has_its_sign_and_a_real_minus(value, text):
    assert numbers.signed(value) == text


def test_an_interval_needs_both_ends():
    assert numbers.interval(-1.0, 2.0) == "[−1.00, +2.00]"
    assert numbers.interval(None, 2.0) == ""
