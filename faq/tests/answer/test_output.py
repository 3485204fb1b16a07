"""Answers as text and as JSON, and questions as they are read from a stream."""

import io
import json
from dataclasses import replace

import pytest

from semblance.errors import InputError
from semblance_faq.answer.answerer import LONGEST, Answer, Answered
from semblance_faq.answer.folder import Threshold
from semblance_faq.answer.output import as_json, as_text, printable, questions_of

HOSTILE = "\x1b[31mred\x07\n\u202eevil\u2066"
ANSWER = Answer(1, "a", "How?", "So. " * 30, 0.75, "like this", "wording")


THRESHOLD = Threshold(0.8, 0.9, 0.5)


def answered(*scores, threshold=THRESHOLD, answer=ANSWER, floor=0.4):
    """Answers with scores; the best of none has .75, below the threshold and above the floor."""
    scores = scores or (answer.score,)
    answers = [replace(answer, rank=i, score=score) for i, score in enumerate(scores, 1)]
    return Answered("how", tuple(answers), threshold, floor, "vectors")


def test_the_text_holds_answer_score_and_what_matched_within_the_width():
    text = as_text(answered(threshold=Threshold(0.7, 0.9, 0.5)), 40)
    for part in ("1. How?", "0.750", "wording", "like this"):
        assert part in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 40


def test_without_an_answer_the_text_says_so_and_ranks_only_if_asked():
    text = as_text(answered(), 80)
    assert text.startswith("No answer") and "0.750" in text and "0.800" in text
    assert "Nearest question: How?" in text and "So." not in text
    assert "So." in as_text(answered(), 80, top=1)


@pytest.mark.parametrize("threshold, given", [(THRESHOLD, 1), (None, 2)])
def test_the_answers_above_the_limit_alone_are_given(threshold, given):
    found = answered(0.85, 0.5, 0.1, threshold=threshold)  # the threshold is .8, the floor .4
    assert as_text(found, 80).count("How?") == len(as_json(found)["answers"]) == given
    assert [a["rank"] for a in as_json(found)["nearest"]] == list(range(given + 1, 4))
    assert as_text(found, 80, top=3).count("How?") == 3


def test_a_question_with_nothing_in_common_is_not_told_that_0_is_below_0():
    none = answered(0.0, threshold=None, floor=0.0)
    assert as_json(none)["given"] == 0
    assert as_text(none, 80) == "No answer: no entry has anything in common with the question."


def test_no_text_of_a_faq_steers_the_terminal_or_turns_the_direction():
    for character in HOSTILE:
        if not character.isprintable():
            assert character not in printable(HOSTILE)
    hostile = Answer(1, HOSTILE, HOSTILE, HOSTILE, 0.75, HOSTILE, "wording")
    text = as_text(answered(answer=hostile, threshold=None), 80)
    assert all(c.isprintable() or c == "\n" for c in text)
    assert printable("نمی\u200cخواهم 🙂") == "نمی\u200cخواهم 🙂"  # joiners are part of words


def test_the_json_holds_all_that_is_known():
    found = json.loads(json.dumps(as_json(answered(0.85))))
    assert found["known"] is True and found["ranking"] == "vectors"
    assert found["threshold"] == {"score": 0.8, "precision": 0.9, "answered": 0.5}
    assert found["answers"] == [vars(ANSWER) | {"score": 0.85}]
    assert (found["likely"], found["floor"]) == (True, 0.4)
    assert as_json(answered(threshold=None))["threshold"] is None


def test_the_text_tells_below_what_an_answer_lies():
    for found, said in (
        (answered(0.3), "No answer: the best score, 0.300, is below the floor, 0.400."),
        (answered(0.5), "No answer: the best score, 0.500, is below the threshold, 0.800."),
        (answered(0.3, threshold=None), "No answer: the best score, 0.300, is below the floor,"),
        (answered(0.5, threshold=None), "Likely: no threshold promises"),
    ):
        text = as_text(found, 200)
        assert text.startswith(said) and ("So." in text) == said.startswith("Likely")


def read(content: bytes) -> list[str]:
    return list(questions_of(io.BytesIO(content), lambda: None))


def test_each_line_is_a_question_and_blank_ones_are_passed_over():
    assert read(b"one\r\n\n  \ntwo  words\nlast") == ["one", "two words", "last"]


@pytest.mark.parametrize("line", [b"\xff", b"x" * (LONGEST + 1), b"a\0b"], ids=repr)
def test_a_line_that_is_no_question_is_refused_with_its_number(line):
    with pytest.raises(InputError) as caught:
        read(b"good\n" + line + b"\n")
    assert str(caught.value).startswith("stdin:2: ")
