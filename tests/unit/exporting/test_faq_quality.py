"""What another form of a model changes on the questions of its own FAQ, on vectors made by hand."""

import numpy as np
import pytest

from semblance.answering.bank import build_bank
from semblance.answering.entries import FaqEntry
from semblance.exporting import faq_quality
from semblance.exporting.faq_quality import answer_all, questions_of

ENTRIES = (
    FaqEntry("1", "q one", "answer one", ("w one",)),
    FaqEntry("2", "q two", "answer two", ()),
    FaqEntry("3", "q three", "answer  one", ("w one",)),
)
# In a plane, by their angles: a question is near the texts whose angles are near.
ANGLES = {"q one": 0, "answer one": 30, "w one": 10, "q two": 50, "answer two": 40, "q three": 36}


def embed(candidates, angles=ANGLES):
    radians = np.radians([angles[text] for text in candidates.texts])
    return np.stack([np.cos(radians), np.sin(radians)], axis=1).astype(np.float32)


def test_each_question_and_wording_is_asked_once_with_all_right_answers():
    bank = build_bank(ENTRIES, "answer")
    asked = questions_of(ENTRIES, bank)
    assert [(each.text, each.relevant) for each in asked] == [
        ("q one", (0,)),
        ("w one", (0,)),
        ("q two", (1,)),
        ("q three", (0,)),
    ]
    assert all(each.itself == () for each in asked)


def test_answers_are_ranked_by_the_best_text_and_scored_over_all_right_ones():
    bank = build_bank(ENTRIES, "answer")
    found = answer_all(questions_of(ENTRIES, bank), bank.candidates, embed)
    # q three, 36 degrees, is 6 from answer one and 4 from answer two: its right answer comes second.
    assert found.best.tolist() == [0, 0, 1, 1]
    assert found.precision.tolist() == [1, 1, 1, 1 / 2] and found.mean == 3.5 / 4


def test_no_text_is_compared_with_itself():
    bank = build_bank(ENTRIES, "better")
    found = answer_all(questions_of(ENTRIES, bank), bank.candidates, embed)
    # q three is 6 from answer one, 4 from answer two: its own text, 0 away, does not count.
    assert found.best.tolist() == [0, 0, 1, 1]


def test_a_question_that_is_all_that_an_answer_is_known_by_is_not_asked():
    bank = build_bank(ENTRIES, "question")
    assert [each.text for each in questions_of(ENTRIES, bank)] == ["q one", "w one", "q three"]


def test_of_a_large_faq_the_questions_asked_are_evenly_spread(monkeypatch):
    monkeypatch.setattr(faq_quality, "MOST_ASKED", 3)
    entries = [FaqEntry(str(n), f"q {n}", f"a {n}", ()) for n in range(9)]
    asked = questions_of(entries, build_bank(entries, "answer"))
    assert [each.text for each in asked] == ["q 0", "q 4", "q 8"]


@pytest.mark.parametrize("angle, kept", [(36, 4), (34, 3)])
def test_a_best_answer_is_kept_if_it_is_the_same_as_before(angle, kept):
    bank = build_bank(ENTRIES, "answer")
    asked = questions_of(ENTRIES, bank)
    before = answer_all(asked, bank.candidates, embed)
    after = answer_all(asked, bank.candidates, lambda c: embed(c, ANGLES | {"q three": angle}))
    assert after.kept(before) == kept


def test_what_is_asked_is_embedded_as_a_question():
    asked = questions_of(ENTRIES, build_bank(ENTRIES, "answer"))
    seen = []

    def noting(candidates):
        seen.append(candidates.questions)
        return embed(candidates)

    answer_all(asked, build_bank(ENTRIES, "answer").candidates, noting)
    assert seen == [frozenset(), {question.text for question in asked}]
