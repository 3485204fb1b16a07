"""Folds: whole groups, balanced, and the same on every machine."""

import os
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semblance.data.folds import dev_part, split_groups
from semblance.errors import InputError

GROUPS = st.lists(st.integers(0, 12).map(str), min_size=5, max_size=80).filter(
    lambda groups: len(set(groups)) >= 5
)


@settings(deadline=None)
@given(GROUPS, st.integers(0, 5))
def test_groups_are_whole_parts_balanced_and_the_order_of_the_items_counts_for_nothing(
    groups, seed
):
    parts = split_groups(groups, 5, seed)
    assert len(set(zip(groups, parts, strict=True))) == len(set(groups))
    sizes = Counter(parts)
    assert set(sizes) == set(range(5))
    assert max(sizes.values()) - min(sizes.values()) <= max(Counter(groups).values())
    assert parts == split_groups(groups[::-1], 5, seed)[::-1]


def test_single_items_are_split_evenly():
    sizes = Counter(split_groups([str(i) for i in range(4313)], 5, 0))
    assert sorted(sizes.values()) == [862, 862, 863, 863, 863]


def test_the_largest_groups_are_placed_first():
    groups = ["big"] * 4 + list("abcd")  # placed last, "big" would leave 6 against 2
    for seed in range(10):
        assert sorted(Counter(split_groups(groups, 2, seed)).values()) == [4, 4]


def test_another_seed_gives_another_split():
    groups = [str(i) for i in range(100)]
    assert split_groups(groups, 5, 0) != split_groups(groups, 5, 1)


def test_every_process_gives_the_same_split():
    code = "from semblance.data.folds import split_groups; print(split_groups('abcdefghij', 5, 3))"
    printed = set()
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        printed.add(
            subprocess.check_output([sys.executable, "-c", code], env=environment, text=True)
        )
    assert printed == {f"{split_groups(list('abcdefghij'), 5, 3)}\n"}


@pytest.mark.parametrize("groups, folds", [("a" * 9, 3), ("ab", 3), ("ab", 1), ("", 5)])
def test_too_few_groups_are_refused(groups, folds):
    with pytest.raises(InputError, match="folds"):
        split_groups(groups, folds, 0)


def test_the_dev_parts_rotate_with_the_test_parts():
    assert [dev_part(test, 5) for test in range(5)] == [1, 2, 3, 4, 0]
