import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semblance.ranking.candidates import Candidate, Candidates, fuse, known_candidates

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


def test_a_fold_knows_the_wordings_that_it_does_not_hold_out():
    known = [
        Candidate(0, "answer", "zzz", -1),
        Candidate(1, "answer", "yyy", -1),
        Candidate(1, "wording", "a cat sat", 0),
        Candidate(0, "wording", "held out", 1),
    ]
    assert known_candidates(known, "better", {1, 2}).texts == ("zzz", "yyy", "a cat sat")
    assert known_candidates(known, "question", {1, 2}).texts == ("zzz", "a cat sat")
    assert known_candidates(known, "answer", {1, 2}).texts == ("zzz", "yyy")


def test_a_fused_score_is_the_cosine_and_a_tenth_of_the_share_of_the_highest_bm25_score():
    cosines = np.array([[0.9, 0.1, 0.5], [0.3, 0.2, 0.1]])
    words = np.array([[0.0, 8.0, 2.0], [0.0, 0.0, 0.0]])
    expected = [[0.9, 0.2, 0.525], [0.3, 0.2, 0.1]]  # no word in common: the cosines alone
    assert fuse(cosines, words) == pytest.approx(np.array(expected))
