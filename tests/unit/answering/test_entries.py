"""Entries are read as they were written, and whatever else stands in their file is refused."""

import json
from dataclasses import asdict

import pytest

from semblance.answering import entries as module
from semblance.answering.entries import FaqEntry, read_entries, write_entries
from semblance.errors import InputError
from tests.unit.answering.example_faq import ENTRIES

GOOD = asdict(ENTRIES[0]) | {"wordings": list(ENTRIES[0].wordings)}
BAD = {
    "another key": GOOD | {"more": 1},
    "a key less": {name: value for name, value in GOOD.items() if name != "wordings"},
    "a number for an id": GOOD | {"id": 1},
    "an empty answer": GOOD | {"answer": " \t"},
    "null for a question": GOOD | {"question": None},
    "a text for the wordings": GOOD | {"wordings": "one"},
    "a number among the wordings": GOOD | {"wordings": [3]},
    "a list for an answer": GOOD | {"answer": ["a"]},
    "a long answer": GOOD | {"answer": "x" * (module.LONGEST_TEXT + 1)},
    "a long id": GOOD | {"id": "x" * (module.LONGEST_ID + 1)},
    "many wordings": GOOD | {"wordings": ["x"] * (module.MOST_WORDINGS + 1)},
    "a list": [GOOD],
    "a text": "x",
}


def test_what_was_written_is_read(tmp_path):
    odd = FaqEntry("ü\u2028", 'a "quote" \\', "line\nline\r", ("\u202e", "🙂"))
    write_entries(tmp_path / "e", [*ENTRIES, odd])
    assert read_entries(tmp_path / "e") == (*ENTRIES, odd)


@pytest.mark.parametrize("name", BAD)
def test_a_malformed_entry_is_refused_with_its_line(name, tmp_path):
    path = tmp_path / "e"
    path.write_text(json.dumps(GOOD | {"id": "other"}) + "\n" + json.dumps(BAD[name]) + "\n")
    with pytest.raises(InputError) as caught:
        read_entries(path)
    assert str(caught.value).startswith(f"{path}:2: ") and "\n" not in str(caught.value)


def test_an_id_that_stands_twice_is_refused(tmp_path):
    (tmp_path / "e").write_text(2 * (json.dumps(GOOD) + "\n"))
    with pytest.raises(InputError, match="e:2: id 'reset' stands twice"):
        read_entries(tmp_path / "e")


def test_more_entries_than_any_faq_has_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST_ENTRIES", len(ENTRIES) - 1)
    with pytest.raises(InputError, match=f"entry {len(ENTRIES)}: more than"):
        write_entries(tmp_path / "e", ENTRIES)
    assert not (tmp_path / "e").exists()


def test_a_file_without_an_entry_and_a_missing_file_are_refused(tmp_path):
    (tmp_path / "e").touch()
    with pytest.raises(InputError, match="holds no entry"):
        read_entries(tmp_path / "e")
    with pytest.raises(InputError, match="no such file"):
        read_entries(tmp_path / "none")


def test_what_could_not_be_read_is_not_written(tmp_path):
    for answer in ("", "\0", "\ud800"):
        with pytest.raises(InputError, match="entry 1: answer"):
            write_entries(tmp_path / "e", [FaqEntry("1", "q", answer)])
    assert not (tmp_path / "e").exists()
