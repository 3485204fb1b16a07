"""The notes of which modules a digest of code covers."""

import json

import pytest

from semblance.code_digest import code_digest, module_digests
from workflow.controller import code_notes

MODULE = "semblance.training.losses.entropy"


@pytest.fixture(autouse=True)
def new_process(monkeypatch):
    monkeypatch.setattr(code_notes, "_stages", {})


def test_a_digest_that_was_asked_for_is_noted_with_its_modules(tmp_path):
    assert code_notes.digest(MODULE) == code_digest(MODULE)
    code_notes.note(tmp_path)
    modules = code_notes.parts(tmp_path)[code_digest(MODULE)]
    whole = module_digests(MODULE)
    assert modules.keys() == whole.keys() and MODULE in modules
    assert all(whole[name].startswith(modules[name]) for name in modules)


def test_notes_of_earlier_starts_stay_up_to_a_number(tmp_path, monkeypatch):
    monkeypatch.setattr(code_notes, "MOST", 3)
    path = tmp_path / code_notes.NOTES
    path.parent.mkdir()
    now = code_notes.digest(MODULE)
    earlier = [now, *(digit * 64 for digit in "z0a")]  # by age, which is no order of digests
    path.write_text(json.dumps({digest: {"m": "1"} for digest in earlier}))
    code_notes.note(tmp_path)
    assert list(json.loads(path.read_text())) == ["0" * 64, "a" * 64, now]


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": 3}', '{"a": {"b": []}}'])
def test_damaged_notes_are_no_error(tmp_path, text):
    path = tmp_path / code_notes.NOTES
    path.parent.mkdir()
    path.write_text(text)
    code_notes.parts(tmp_path)
    code_notes.note(tmp_path)
    assert json.loads(path.read_text()) is not None
