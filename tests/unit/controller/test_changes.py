"""What is said of changed parameters: the key, its value before and its value now."""

import json

import pytest

from semblance.code_digest import code_digest, module_digests
from workflow.controller import changes
from workflow.controller.changes import describe_changes

MODULE = "semblance.training.losses.entropy"
OLD_CODE, NEW_CODE = "a" * 64, "b" * 64


def said(before: list, now: list, parts=None, **named) -> list[str]:
    """Return what is said of parameters that were ``before`` and are ``now``."""
    names = {repr(value): name for name, value in named.items()}
    return list(describe_changes(map(repr, before), map(repr, now), names, parts or {}))


def test_of_settings_the_changed_key_is_named_with_both_values():
    before = json.dumps({"learning_rate": 1e-05, "epochs": 3, "loss": "rcl"})
    now = json.dumps({"learning_rate": 3e-05, "epochs": 3, "loss": "rcl"})
    assert said([before], [now]) == ["learning_rate 1e-05 -> 3e-05"]


def test_keys_inside_of_others_have_a_path():
    before = json.dumps({"options": {"phi": 0.01}})
    now = json.dumps({"options": {"phi": 0.02, "scale": 20}})
    assert said([before], [now]) == ["options.phi 0.01 -> 0.02, options.scale is new: 20"]


def test_a_key_that_is_left_out_is_named():
    assert said(['{"a": 1, "b": 2}'], ['{"a": 1}']) == ["b left out: 2"]


def test_rows_of_a_table_go_by_their_labels():
    before = json.dumps({"rows": [{"label": "x", "seeds": [1]}, {"label": "y", "seeds": [1]}]})
    now = json.dumps({"rows": [{"label": "x", "seeds": [1]}, {"label": "y", "seeds": [1, 2]}]})
    assert said([before], [now]) == ["rows[y].seeds [1] -> [1, 2]"]


def test_settings_are_compared_with_those_that_share_most_of_their_keys():
    before = ['{"a": 1, "b": 1}', '{"x": 1, "y": 1}']
    now = ['{"x": 1, "y": 2}', '{"a": 1, "b": 2}']
    assert sorted(said(before, now)) == ["b 1 -> 2", "y 1 -> 2"]


def test_flags_in_one_text_are_compared_one_by_one():
    assert said(["--threads 1 --gpus 0"], ["--threads 2 --gpus 0"]) == ["threads 1 -> 2"]


def test_another_parameter_goes_by_its_name():
    assert said([64], [128], max_length=128) == ["max_length 64 -> 128"]


def test_changed_code_is_named_by_its_files():
    parts = {
        OLD_CODE: {"semblance.a": "1", "semblance.b": "1", "semblance.gone": "1"},
        NEW_CODE: {"semblance.a": "1", "semblance.b": "2"},
    }
    files = "semblance/b.py, semblance/gone.py"
    assert said([OLD_CODE], [NEW_CODE], parts) == [f"code changed: {files}"]


@pytest.mark.parametrize("parts", [{}, {NEW_CODE: {"semblance.a": "1"}}])
def test_of_code_whose_parts_are_not_noted_only_the_change_is_told(parts):
    assert said([OLD_CODE], [NEW_CODE], parts) == ["code changed: which files is not noted"]


def test_a_long_value_is_cut_and_of_many_keys_three_are_named():
    before = json.dumps({key: 0 for key in "abcde"})
    now = json.dumps({key: 1 for key in "abcd"} | {"e": "x" * 900})
    [line] = said([before], [now])
    assert line == "a 0 -> 1, b 0 -> 1, c 0 -> 1 and 2 more keys"
    [line] = said(['{"e": 0}'], [json.dumps({"e": "x" * 900})])
    assert line == f"e 0 -> {'x' * 40}…"


@pytest.mark.parametrize("text", ["{", "--", "(((", "", "{'a': 1"])
def test_a_text_that_only_begins_like_settings_is_a_plain_value(text):
    assert len(said([text], ["other"], name="other")) == 1
    assert len(list(describe_changes([text], ["'x'"], {}, {}))) == 1


@pytest.fixture(autouse=True)
def new_process(monkeypatch):
    monkeypatch.setattr(changes, "_stages", {})


def test_a_digest_that_was_asked_for_is_noted_with_its_modules(tmp_path):
    assert changes.digest(MODULE) == code_digest(MODULE)
    changes.note_code(tmp_path)
    modules = changes.parts_of_code(tmp_path)[code_digest(MODULE)]
    whole = module_digests(MODULE)
    assert modules.keys() == whole.keys() and MODULE in modules
    assert all(whole[name].startswith(modules[name]) for name in modules)


def test_notes_of_earlier_starts_stay_up_to_a_number(tmp_path, monkeypatch):
    monkeypatch.setattr(changes, "MOST", 3)
    path = tmp_path / changes.NOTES
    path.parent.mkdir()
    now = changes.digest(MODULE)
    earlier = [now, *(digit * 64 for digit in "z0a")]  # by age, which is no order of digests
    path.write_text(json.dumps({digest: {"m": "1"} for digest in earlier}))
    changes.note_code(tmp_path)
    assert list(json.loads(path.read_text())) == ["0" * 64, "a" * 64, now]


@pytest.mark.parametrize("text", ["", "[]", "{"])
def test_damaged_notes_are_no_error(tmp_path, text):
    path = tmp_path / changes.NOTES
    path.parent.mkdir()
    path.write_text(text)
    changes.parts_of_code(tmp_path)
    changes.note_code(tmp_path)
    assert json.loads(path.read_text()) is not None
