"""Numbers of things in words."""

from semblance.counts import counted


def test_one_thing_stands_in_the_singular():
    assert counted(1, "seed") == "1 seed" and counted(1, "query", "queries") == "1 query"


def test_none_and_several_stand_in_the_plural():
    assert counted(0, "seed") == "0 seeds" and counted(1200, "seed") == "1,200 seeds"
    assert counted(2, "query", "queries") == "2 queries"
