"""Which column holds what: known names, names that the user gives, and doubt."""

import pytest

from semblance.errors import InputError
from semblance_faq.read.columns import Columns

FAQ = Columns(("question", "answer"), ("id", "group", "queries"))


def given(**names: str) -> Columns:
    return Columns(("question", "answer"), ("id", "group", "queries"), names)


@pytest.mark.parametrize(
    "names",
    [
        ["Frage", "Antwort"],
        ["Q", "A"],
        ["title", "body"],
        ["Question ", "ANSWER"],
        ["prompt", "response"],
        [" question  text ", "Answer Text"],
        ["re\u0301ponse", "TITEL"][::-1],  # an é of two characters
    ],
)
def test_known_names_are_found_whatever_their_case_and_white_space(names):
    assert FAQ.choose(["note", *names], "f:1") == {"question": 1, "answer": 2}


def test_the_documented_names_come_before_guesses():
    names = ["title", "question", "body", "answer", "ID", "queries"]
    assert FAQ.choose(names, "f:1") == {"question": 1, "answer": 3, "id": 4, "queries": 5}


@pytest.mark.parametrize(
    "names, role, option",
    [
        (["Frage", "title", "answer"], "question", "question_column (--question)"),
        (["question", "Antwort", "body"], "answer", "answer_column (--answer)"),
    ],
)
def test_two_columns_that_may_hold_the_same_are_refused_by_name(names, role, option):
    with pytest.raises(InputError) as caught:
        FAQ.choose(names, "f.csv:3")
    told = str(caught.value)
    doubtful = {"question": names[:2], "answer": names[1:]}[role]
    assert told.startswith(f"f.csv:3: two columns may hold the {role}: ")
    assert all(repr(name) in told for name in doubtful) and option in told


def test_given_names_come_before_known_ones():
    names = ["title", "body", "Text", "kind"]
    assert given(question="Text", answer="kind").choose(names, "f:1") == {
        "question": 2,
        "answer": 3,
    }
    # The column that is given for the question is no candidate for the answer.
    assert given(question="body").choose(["body", "answers"], "f:1") == {"question": 0, "answer": 1}


def test_a_given_name_counts_as_it_is_written_and_else_without_case():
    assert given(question="text").choose(["Text", "text", "a"], "f:1")["question"] == 1
    assert given(question="TEXT").choose(["Text", "a"], "f:1")["question"] == 0
    with pytest.raises(InputError, match="two columns may hold the question"):
        given(question="TEXT").choose(["Text", "text", "a"], "f:1")


def test_a_given_name_that_is_not_there_is_refused_with_the_header():
    with pytest.raises(
        InputError, match=r"\Af:1: no column 'x' for the answer; the header is 'q', 'a'\Z"
    ):
        given(answer="x").choose(["q", "a"], "f:1")


def test_one_column_cannot_hold_two_things():
    with pytest.raises(InputError, match="column 'q' is named for question and answer"):
        given(question="q", answer="q").choose(["q", "a"], "f:1")
