"""What is said of changed parameters: the key, its value before and its value now."""

import json

import pytest

from semblance.code_digest import code_digest, module_digests
from semblance.files import write_text
from workflow.run import changes
from workflow.run.changes import describe_changes

MODULE = "semblance.training.losses.entropy"
OLD_CODE, NEW_CODE = "a" * 64, "b" * 64


def said(before: list, now: list, parts=None, **named) -> list[str]:
    """Return what is said of parameters that were ``before`` and are ``now``."""
    names = {repr(value): name for name, value in named.items()}
    return list(describe_changes(map(repr, before), map(repr, now), names, parts or {}))


def rows(*seeds: list[int]) -> str:
    """Return the settings of a table with rows x, y, …, each with these seeds."""
    return json.dumps(
        {"rows": [{"label": row, "seeds": s} for row, s in zip("xy", seeds, strict=True)]}
    )


@pytest.mark.parametrize(
    "before, now, told",
    [
        # Of settings, the changed key with both values.
        ('{"rate": 1e-05, "epochs": 3}', '{"rate": 3e-05, "epochs": 3}', "rate 1e-05 -> 3e-05"),
        ('{"a": 1, "b": 2}', '{"a": 1}', "b left out: 2"),
        # Keys inside of others have a path; rows of a table go by their labels.
        ('{"o": {"phi": 1}}', '{"o": {"phi": 2, "n": 0}}', "o.phi 1 -> 2, o.n is new: 0"),
        (rows([1], [1]), rows([1], [1, 2]), "rows[y].seeds [1] -> [1, 2]"),
        # Flags in one text are compared one by one.
        ("--threads 1 --gpus 0", "--threads 2 --gpus 0", "threads 1 -> 2"),
        # Another parameter goes by its name.
        (64, 128, "given 64 -> 128"),
        # Of many keys three are named, and a long value is cut.
        (
            json.dumps(dict.fromkeys("abcde", 0)),
            json.dumps(dict.fromkeys("abcde", 1)),
            "a 0 -> 1, b 0 -> 1, c 0 -> 1 and 2 more keys",
        ),
        ('{"e": 0}', json.dumps({"e": "x" * 900}), f"e 0 -> {'x' * 40}…"),
    ],
)
def test_what_changed_is_named_with_its_value_before_and_now(before, now, told):
    assert said([before], [now], given=now) == [told]


def test_settings_are_compared_with_those_that_share_most_of_their_keys():
    before = ['{"a": 1, "b": 1}', '{"x": 1, "y": 1}']
    now = ['{"x": 1, "y": 2}', '{"a": 1, "b": 2}']
    assert sorted(said(before, now)) == ["b 1 -> 2", "y 1 -> 2"]


def test_changed_code_is_named_by_its_files():
    parts = {
        OLD_CODE: {"semblance.a": "1", "semblance.b": "1", "semblance.gone": "1"},
        NEW_CODE: {"semblance.a": "1", "semblance.b": "2"},
    }
    files = "semblance/b.py, semblance/gone.py"
    assert said([OLD_CODE], [NEW_CODE], parts) == [f"code changed: {files}"]


@pytest.mark.parametrize("parts", [{}, {NEW_CODE: {"semblance.a": "1"}}])
def test_of_code_whose_parts_are_not_noted_only_the_change_is_reported(parts):
    assert said([OLD_CODE], [NEW_CODE], parts) == ["code changed: which files is not noted"]


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
    now = changes.digest(MODULE)
    earlier = [now, *(digit * 64 for digit in "z0a")]  # by age, which is no order of digests
    write_text(path, json.dumps({digest: {"m": "1"} for digest in earlier}))
    changes.note_code(tmp_path)
    assert list(json.loads(path.read_text())) == ["0" * 64, "a" * 64, now]


@pytest.mark.parametrize("text", ["", "[]", "{"])
def test_damaged_notes_are_no_error(tmp_path, text):
    path = tmp_path / changes.NOTES
    write_text(path, text)
    changes.parts_of_code(tmp_path)
    changes.note_code(tmp_path)
    assert json.loads(path.read_text()) is not None
