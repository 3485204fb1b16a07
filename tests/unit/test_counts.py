"""Numbers of things in words."""

import pytest

from semblance.counts import counted, duration, size


def test_one_thing_stands_in_the_singular():
    assert counted(1, "seed") == "1 seed" and counted(1, "query", "queries") == "1 query"


def test_none_and_several_stand_in_the_plural():
    assert counted(0, "seed") == "0 seeds" and counted(1200, "seed") == "1,200 seeds"
    assert counted(2, "query", "queries") == "2 queries"


@pytest.mark.parametrize(
    "seconds, text", [(3.4, "3 s"), (99, "99 s"), (100, "2 min"), (5940, "99 min"), (7200, "2.0 h")]
)
def test_a_time_is_told_in_the_largest_unit_that_fits(seconds, text):
    assert duration(seconds) == text


@pytest.mark.parametrize("megabytes, text", [(0.4, "0 MB"), (5, "5 MB"), (8240, "8.2 GB")])
def test_a_size_is_told_in_the_largest_unit_that_fits(megabytes, text):
    assert size(megabytes) == text
