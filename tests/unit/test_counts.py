"""Numbers of things in words."""

import pytest

from semblance.counts import counted, duration, interval, signed, size

TIMES = {3.4: "3 s", 99: "99 s", 100: "2 min", 5940: "99 min", 7200: "2.0 h"}
DIFFERENCES = {1.005: "+1.00", -0.5: "−0.50", -0.001: "+0.00", None: ""}
SIZES = {0.4: "0 MB", 5: "5 MB", 8240: "8.2 GB"}


@pytest.mark.parametrize(
    "text, found",
    [
        *((text, signed(value)) for value, text in DIFFERENCES.items()),
        ("[−1.00, +2.00]", interval(-1.0, 2.0)),
        ("", interval(None, 2.0)),
        ("1 seed", counted(1, "seed")),
        ("1 query", counted(1, "query", "queries")),
        ("0 seeds", counted(0, "seed")),
        ("1,200 seeds", counted(1200, "seed")),
        ("2 queries", counted(2, "query", "queries")),
        *((text, duration(seconds)) for seconds, text in TIMES.items()),
        *((text, size(megabytes)) for megabytes, text in SIZES.items()),
    ],
)
def test_numbers_have_their_noun_and_the_largest_unit_that_fits(text, found):
    assert found == text
