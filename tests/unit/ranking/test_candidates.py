import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semblance.ranking.candidates import Candidates

TEXTS = st.lists(st.text(max_size=3), min_size=1, max_size=4)


@settings(deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_an_answer_is_as_good_as_the_best_of_its_texts(texts, dice):
    candidates = Candidates.of(texts)
    scores = np.array([[dice.random() for _ in candidates.texts] for _ in range(3)])
    best = candidates.best(scores)
    assert best.shape == (3, len(texts))
    for row in range(3):
        for answer in range(len(texts)):
            own = [s for s, o in zip(scores[row], candidates.owners, strict=True) if o == answer]
            assert best[row, answer] == max(own)


def test_equal_texts_of_an_answer_count_once_and_those_of_two_answers_twice():
    candidates = Candidates.of([["a", "b", "a"], ["a"]])
    assert candidates.texts == ("a", "b", "a")
    assert candidates.owners.tolist() == [0, 0, 1]
    assert candidates.answers == 2


def test_an_answer_without_a_text_is_refused():
    with pytest.raises(ValueError, match="an answer has no text"):
        Candidates.of([["a"], []])
