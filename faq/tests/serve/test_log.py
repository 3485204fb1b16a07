"""The log of questions: what the server wrote is read, and anything else is refused with its line."""

import json
import os

import pytest

from semblance.errors import InputError
from semblance_faq.serve.log import QuestionLog, read_log

ASKED = {
    "time": "2026-01-02T03:04:05Z",
    "kind": "asked",
    "question": " How\n? ",
    "known": True,
    "answers": [{"id": "a", "score": 0.5}],
}


def log(tmp_path, *values: object, end: str = "\n"):
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(json.dumps(value) for value in values) + end)
    return path


def test_what_the_server_writes_is_read(tmp_path, answerer):
    path = tmp_path / "log.jsonl"
    written = QuestionLog(path)
    for kind in ("asked", "none"):
        written.note(kind, answerer.ask("When does it ship?"))
    written.close()
    assert read_log(path) == [("When does it ship?", False), ("When does it ship?", True)]


def test_a_last_line_that_was_cut_off_is_passed_over(tmp_path):
    assert read_log(log(tmp_path, ASKED, end='\n{"time": "2026-01-')) == [("How ?", False)]


REFUSED = {
    "not as the server writes it": "{'time': 1}\n",
    "no object": "[1]\n",
    "question is missing": '{"kind": "asked"}\n',
    "question is empty": json.dumps(ASKED | {"question": " "}) + "\n",
    "question is not text": json.dumps(ASKED | {"question": 3}) + "\n",
}


@pytest.mark.parametrize("problem", REFUSED)
def test_what_the_server_does_not_write_is_refused_with_its_line(tmp_path, problem):
    path = log(tmp_path, ASKED)
    path.write_text(path.read_text() + REFUSED[problem] + json.dumps(ASKED) + "\n")
    with pytest.raises(InputError, match=problem) as caught:
        read_log(path)
    assert str(caught.value).startswith(f"{path}:2")
    assert "\n" not in str(caught.value)


def test_a_line_that_a_full_disk_cut_swallows_no_later_one(tmp_path, monkeypatch, answerer, capsys):
    path = tmp_path / "log.jsonl"
    questions = QuestionLog(path)
    write = os.write
    monkeypatch.setattr(os, "write", lambda handle, line: write(handle, line[:3]))
    questions.note("asked", answerer.ask("lost"))
    monkeypatch.undo()
    assert "not written: no room for a whole line" in capsys.readouterr().err
    questions.note("asked", answerer.ask("good"))
    questions.close()
    assert read_log(path) == [("good", False)] and len(path.read_text().splitlines()) == 2


@pytest.mark.parametrize("content", ["{}\n", '{"id": "1"}\n{"id": "2"}', "x", "\x93NUMPY"])
def test_a_file_of_something_else_is_no_log_and_is_left_as_it_is(tmp_path, content):
    """Such as the entries or the vectors of the answerer that is served."""
    path = tmp_path / "entries.jsonl"
    path.write_text(content)
    with pytest.raises(InputError, match="holds something else than logged questions"):
        QuestionLog(path)
    assert path.read_text() == content


@pytest.mark.parametrize("length", [1, 5, 12, 40])
def test_a_line_that_a_crash_cut_off_is_ended_when_the_server_starts(tmp_path, answerer, length):
    path = log(tmp_path, ASKED)
    path.write_text(path.read_text() + json.dumps(ASKED)[:length])
    written = QuestionLog(path)
    written.note("asked", answerer.ask("Why?"))
    written.close()
    assert read_log(path) == [("How ?", False), ("Why?", False)]
    assert len(path.read_text().splitlines()) == 3
