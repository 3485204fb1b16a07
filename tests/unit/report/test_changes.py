"""What changed since the report before."""

import json

import pytest

from semblance import layout
from workflow.report.changes import LARGEST, compare, since_last

BEFORE = {
    "date": "2026-01-01 10:00:00",
    "cells": {"t / A / Average": 50.0, "t / B / Average": 60.0, "t / gone / Average": 1.0},
    "settings": {"t / A": "1", "t / B": "2"},
    "code": {"train": ["c"]},
    "seconds": 3600.0,
}
AFTER = BEFORE | {
    "date": "2026-01-02 10:00:00",
    "cells": {"t / A / Average": 50.004, "t / B / Average": 58.0, "t / new / Average": 9.0},
    "settings": {"t / A": "1", "t / B": "3", "t / new": "4"},
    "seconds": 7200.0,
}


def test_a_score_that_moved_is_listed_with_both_values():
    found = compare(BEFORE, AFTER)
    [score] = found.scores
    assert (score.place, score.before, score.after) == ("t / B / Average", "60.00", "58.00")
    assert score.difference == "−2.00"


def test_new_and_lost_scores_settings_code_and_cost_are_told():
    found = compare(BEFORE, AFTER)
    assert (found.new, found.gone, found.code) == (1, 1, [])
    assert found.settings == ["t / B"]  # a new row has no settings before
    assert found.seconds == "+1.00 h"
    other = {"train": ["d"], "embed": ["new"]}  # a stage that is new has no other code
    assert compare(BEFORE, AFTER | {"code": other}).code == ["train"]


def test_the_largest_changes_come_first_and_the_others_are_counted():
    many = {f"t / {i} / Average": float(i) for i in range(1, LARGEST + 11)}
    before = BEFORE | {"cells": dict.fromkeys(many, 0.0)}
    found = compare(before, AFTER | {"cells": many})
    assert len(found.scores) == LARGEST and found.more == 10
    assert found.scores[0].after == f"{LARGEST + 10:.2f}"


def test_a_report_compares_itself_with_the_last_one_that_says_something_else(tmp_path):
    assert since_last(tmp_path, BEFORE) is None
    assert since_last(tmp_path, BEFORE) is None  # made again from the same files
    first = since_last(tmp_path, AFTER)
    again = since_last(tmp_path, AFTER)
    assert first == again and first.before == BEFORE["date"]
    assert len(list((tmp_path / layout.REPORTS).iterdir())) == 2


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"cells": 1}', json.dumps({"date": "x"})])
def test_a_damaged_summary_of_an_earlier_report_is_passed_over(tmp_path, damage):
    (tmp_path / layout.REPORTS).mkdir(parents=True)
    (tmp_path / layout.REPORTS / "0001.json").write_text(damage)
    assert since_last(tmp_path, AFTER) is None


def test_a_damaged_summary_is_kept_and_never_makes_a_later_one_be_overwritten(tmp_path):
    since_last(tmp_path, {"date": "damaged below"})
    since_last(tmp_path, BEFORE)
    folder = tmp_path / layout.REPORTS
    (folder / "0001.json").write_text("{")
    first = since_last(tmp_path, AFTER)
    assert first == since_last(tmp_path, AFTER) and first.before == BEFORE["date"]
    assert [path.name for path in sorted(folder.iterdir())] == [
        "0001.json",
        "0002.json",
        "0003.json",
    ]
