"""A log set against a FAQ: what is counted as one question, which are alike, and what the shares say."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from faq.tests.example_faq import ENTRIES, write_example
from faq.tests.example_run import write_run
from semblance.errors import InputError
from semblance.provenance import read_sealed
from semblance_faq.answer.answerer import Answerer
from semblance_faq.answer.folder import Threshold
from semblance_faq.commands import cli
from semblance_faq.commands.coverage import alike, between_entries, coverage, lines_of, read_asked
from tests.unit.data.files import put

RESET, LOGIN, REFUND, SHIP = ENTRIES


def test_questions_that_differ_in_case_and_punctuation_alone_are_one(tmp_path):
    text = "When do you open?\n\nwhen do you OPEN\nWhere are you?\n...\n" + "x" * 1001
    log = put(tmp_path / "log.txt", text)
    times, _, lines = read_asked(str(log))
    assert times == {"When do you open?": 2, "Where are you?": 1}
    assert lines[-1] == (
        f"{log}: 3 questions, 2 different;"
        " 2 without a word, or of more than 1,000 characters, left out"
    )


ASKED = json.dumps({"time": "x", "kind": "asked", "question": "How?"}) + "\n"


@pytest.mark.parametrize(
    "name, text, asked",
    [
        ("log.csv", "when,Frage\n1,Wie viel?\n2,Wann?\n", {"Wie viel?": 1, "Wann?": 1}),
        # of the server's log; a line that was cut is passed over
        ("asked.log", ASKED + ASKED[:20] + "\n" + ASKED, {"How?": 2}),
        # so is a row without a question
        ("log.jsonl", '{"query": ""}\n{"query": null}\n{"query": "How?"}\n', {"How?": 1}),
    ],
)
def test_a_log_may_be_a_table_or_the_servers_own(tmp_path, name, text, asked):
    assert read_asked(str(put(tmp_path / name, text)))[0] == asked


def test_a_question_whose_answers_people_refused_is_asked_once_and_refused(tmp_path):
    lines = [("asked", "How?"), ("none", "how"), ("none", "Why?"), ("none", "Why?")]
    texts = [json.dumps({"time": "x", "kind": kind, "question": text}) for kind, text in lines]
    log = put(tmp_path / "asked.log", "\n".join(texts))
    times, refused, _ = read_asked(str(log))
    assert times == {"How?": 1, "Why?": 1} and refused == {"How?": 1, "Why?": 2}


@pytest.mark.parametrize("text", ["", "\n \n", "?!\n"])
def test_a_log_without_a_question_is_refused(tmp_path, text):
    log = put(tmp_path / "log.txt", text)
    with pytest.raises(InputError, match="holds no question"):
        read_asked(str(log))


@pytest.mark.parametrize("text", ['[{"query": "How?"}]', '{"query": "How?"}'])
def test_a_log_of_json_is_read_whatever_its_name(tmp_path, text):
    assert read_asked(str(put(tmp_path / "log.txt", text)))[0] == {"How?": 1}


def pointing(**degrees):
    """What stands for an answerer whose model gives each question a unit vector of its direction."""

    def embed(questions):
        angles = np.deg2rad([degrees[question] for question in questions])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)

    return SimpleNamespace(embedder=SimpleNamespace(embed=embed))


@pytest.mark.parametrize(
    "times, degrees, groups",
    [
        # A cosine of .65 is 49 degrees: b is like a and like c, a and c are not alike, d is alone.
        ({"a": 5, "b": 1, "c": 2, "d": 3}, (0, 40, 80, 170), [(8, ["b", "a", "c"]), (3, ["d"])]),
        # e is like c alone, which b takes: e is left alone.
        ({"a": 5, "b": 1, "c": 2, "e": 1}, (0, 40, 80, 125), [(8, ["b", "a", "c"]), (1, ["e"])]),
    ],
)
def test_the_question_with_the_most_like_it_leads_a_group_and_takes_them_away(
    times, degrees, groups
):
    assert alike(times, pointing(**dict(zip(times, degrees, strict=True)))) == groups


def test_the_lines_count_different_questions_and_each_time_that_one_was_asked(tmp_path, model):
    folder = write_example(tmp_path / "a", model, ranking="words", threshold=None, floor=0.1)
    asked = [REFUND.question, REFUND.question, SHIP.question, "qwerty asdf"]
    log = put(tmp_path / "log.txt", "\n".join(asked))
    text = "\n".join(lines_of(coverage(str(log), folder), 5))
    assert "likely, above the floor of 0.100: 2 of 3, 66.7% (95 % interval" in text
    assert "of the different questions, 75.0% of all" in text
    assert "no answer: 1 group of like questions\n    1  qwerty asdf" in text
    assert f"asked more than once: 1 question\n    2  {REFUND.question}" in text
    assert "known, above" not in text


def test_coverage_as_json_has_the_numbers_of_its_lines(tmp_path, model, capsys):
    folder = write_example(tmp_path / "a", model, ranking="words", threshold=None, floor=0.1)
    log = put(tmp_path / "log.txt", f"{REFUND.question}\n{REFUND.question}\nqwerty asdf")
    cli.main(["coverage", str(log), "--model", str(folder), "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found["likely"] == {"score": 0.1, "questions": 1, "of": 2, "asked": 2 / 3}
    assert found["known"] is None
    assert found["no_answer"] == [{"times": 1, "questions": ["qwerty asdf"]}]
    assert found["asked_again"] == [{"times": 2, "questions": [REFUND.question]}]


def test_questions_whose_answers_people_refused_are_told_apart(tmp_path, model):
    folder = write_example(tmp_path / "a", model, ranking="words", threshold=None, floor=0.1)
    lines = [{"time": "x", "kind": kind, "question": REFUND.question} for kind in ("asked", "none")]
    log = put(tmp_path / "asked.log", "\n".join(map(json.dumps, lines)))
    text = "\n".join(lines_of(coverage(str(log), folder), 5))
    said = "none of the answers was right, people said: 1 group of like questions"
    assert f"{said}\n    1  {REFUND.question}" in text
    assert "no answer: 0 groups" in text


def test_a_question_between_floor_and_threshold_has_no_answer(tmp_path, model):
    threshold = Threshold(1e9, 0.9, 0.5)
    folder = write_example(tmp_path / "a", model, ranking="words", threshold=threshold, floor=0.1)
    log = put(tmp_path / "log.txt", SHIP.question)
    text = "\n".join(lines_of(coverage(str(log), folder), 5))
    assert "likely, above the floor of 0.100: 1 of 1" in text
    assert "known, above the threshold of 1000000000.000: 0 of 1" in text
    assert f"no answer: 1 group of like questions\n    1  {SHIP.question}" in text


def test_the_share_of_missing_entries_that_the_floor_refused_in_the_test_is_said(tmp_path, model):
    folder = write_run(tmp_path / "my-faq", model, {f"wording {n}": 1.0 for n in range(9)})
    log = put(tmp_path / "log.txt", "How?")
    without = read_sealed(folder / "record.json")["evidence"]["floor"]["without_entry"]
    text = "\n".join(lines_of(coverage(str(log), folder), 5))
    assert f"In the test the floor refused {without:.0%} of the questions without an entry" in text


def test_a_question_as_near_to_a_second_entry_names_both():
    def answered(question, *scores, likely=True):
        answers = [SimpleNamespace(id=f"e{i}", score=score) for i, score in enumerate(scores)]
        return SimpleNamespace(question=question, likely=likely, answers=answers)

    found = [
        answered("a", 0.9, 0.89),
        answered("b", 0.9, 0.8),
        answered("c", 0.9, 0.9, likely=False),
        answered("d", 0.9),
    ]
    assert between_entries(found, {"a": 3}) == [(("e0", "e1"), (3, "a"))]


@pytest.mark.parametrize("ranking", ["vectors", "words", "hybrid"])
def test_questions_that_are_asked_at_once_are_answered_as_one_by_one(tmp_path, model, ranking):
    answerer = Answerer.open(write_example(tmp_path / "a", model, ranking=ranking))
    questions = [text for entry in ENTRIES for text in (entry.question, *entry.wordings)] * 50
    for one, question in zip(answerer.ask_all(questions, 3), questions, strict=True):
        alone = answerer.ask(question, 3)
        assert [answer.score for answer in one.answers] == pytest.approx(
            [answer.score for answer in alone.answers], abs=1e-5
        )
        assert one.answers[0].id == alone.answers[0].id and one.known == alone.known
