"""The log of questions: what the server wrote is read, and anything else is refused with its line."""

import json
import os

import pytest

from semblance.errors import InputError
from semblance_faq.serve.log import Choice, QuestionLog, read_choices

ASKED = {
    "time": "2026-01-02T03:04:05Z",
    "kind": "asked",
    "question": "How?",
    "known": True,
    "answers": [{"id": "a", "score": 0.5}],
}
CHOSEN = {"time": "2026-01-02T03:04:06Z", "kind": "chosen", "question": " How\n? ", "id": "a"}


def log(tmp_path, *values: object, end: str = "\n"):
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(json.dumps(value) for value in values) + end)
    return path


def test_what_the_server_writes_is_read(tmp_path, answerer):
    path = tmp_path / "log.jsonl"
    written = QuestionLog(path)
    written.note_answers(answerer.ask("When does it ship?"))
    written.note_choice(" When\n does it ship? ", "ship")
    written.close()
    found = read_choices(path)
    assert (len(found.asked), found.cut) == (1, ())
    [choice] = found.choices
    assert (choice.question, choice.id, choice.line) == ("When does it ship?", "ship", 2)


def test_a_last_line_that_was_cut_off_is_reported_and_passed_over(tmp_path):
    for end in ('\n{"time": "2026-01-', '\n{"question": "\\u00'):
        found = read_choices(log(tmp_path, CHOSEN, end=end))
        assert (len(found.choices), found.cut) == (1, (2,))
    path = log(tmp_path, CHOSEN)
    path.write_bytes(path.read_bytes() + '{"question": "ü'.encode()[:-1])
    assert read_choices(path).cut == (2,)


def test_a_whole_last_line_without_an_end_counts(tmp_path):
    found = read_choices(log(tmp_path, ASKED, CHOSEN, end=""))
    assert (len(found.asked), found.choices, found.cut) == (1, (Choice("How ?", "a", 2),), ())


REFUSED = {
    "not JSON": "{'time': 1}\n",
    "no object of the kind": '{"kind": "deleted"}\n',
    "no object of the kind asked": "[1]\n",
    "id is missing": json.dumps({"kind": "chosen", "question": "a"}) + "\n",
    "question is empty": json.dumps(CHOSEN | {"question": " "}) + "\n",
    "question is not text": json.dumps(CHOSEN | {"question": 3}) + "\n",
}


@pytest.mark.parametrize("problem", REFUSED)
def test_what_the_server_does_not_write_is_refused_with_its_line(tmp_path, problem):
    path = log(tmp_path, CHOSEN)
    path.write_text(path.read_text() + REFUSED[problem] + json.dumps(CHOSEN) + "\n")
    with pytest.raises(InputError, match=problem) as caught:
        read_choices(path)
    assert str(caught.value).startswith(f"{path}:2")
    assert "\n" not in str(caught.value)


def test_a_line_that_a_full_disk_cut_swallows_no_later_one(tmp_path, monkeypatch):
    path = tmp_path / "log.jsonl"
    questions = QuestionLog(path)
    write = os.write
    monkeypatch.setattr(os, "write", lambda handle, line: write(handle, line[:3]))
    assert not questions.note_choice("lost", "1")
    monkeypatch.undo()
    assert questions.note_choice("good", "2")
    questions.close()
    found = read_choices(path)
    assert ([choice.question for choice in found.choices], found.cut) == (["good"], (1,))


@pytest.mark.parametrize("content", ["{}\n", '{"id": "1"}\n{"id": "2"}', "x", "\x93NUMPY"])
def test_a_file_of_something_else_is_no_log_and_is_left_as_it_is(tmp_path, content):
    """Such as the entries or the vectors of the answerer that is served."""
    path = tmp_path / "entries.jsonl"
    path.write_text(content)
    with pytest.raises(InputError, match="holds something else than logged questions"):
        QuestionLog(path)
    assert path.read_text() == content


def reopened(path):
    """The log, after a server has opened it and noted one choice."""
    written = QuestionLog(path)
    written.note_choice("How?", "a")
    written.close()
    return path


@pytest.mark.parametrize("length", [1, 5, 12, 40])
def test_a_line_that_a_crash_cut_off_is_ended_when_the_server_starts(tmp_path, length):
    path = log(tmp_path, CHOSEN)
    path.write_text(path.read_text() + json.dumps(CHOSEN)[:length])
    found = read_choices(reopened(path))
    assert [choice.line for choice in found.choices] == [1, 3] and found.cut == (2,)


def test_a_last_line_that_is_not_cut_off_stays_when_the_server_starts(tmp_path):
    path = tmp_path / "log.jsonl"
    last = json.dumps(CHOSEN)
    path.write_text(last)
    first, second = reopened(path).read_text().splitlines()
    assert first == last and json.loads(second)["id"] == "a"
