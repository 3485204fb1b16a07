from math import log

import numpy as np
import pytest

from semblance.errors import InputError
from semblance.ranking.words import Words, words_of

TEXTS = ["How do I renew a loan?", "Renew a card", "Opening hours of the library", "..."]


def bm25(question: str, k1: float = 1.5, b: float = 0.75) -> list[float]:
    """BM25 with Lucene's idf, written out from Robertson and Zaragoza (2009)."""
    documents = [words_of(text) for text in TEXTS]
    mean = sum(map(len, documents)) / len(documents)
    found = []
    for document in documents:
        score = 0.0
        for word in words_of(question):
            holding = sum(word in other for other in documents)
            idf = log(1 + (len(documents) - holding + 0.5) / (holding + 0.5))
            count = document.count(word)
            score += idf * count / (count + k1 * (1 - b + b * len(document) / mean))
        found.append(score)
    return found


@pytest.mark.parametrize(
    "question", ["renew my loan", "RENEW renew", "library card", "xyz", "", "?"]
)
def test_the_scores_are_those_of_the_formula(question):
    found = Words(TEXTS).scores([question])[0]
    np.testing.assert_allclose(found, bm25(question), rtol=1e-5)


def test_a_question_is_scored_alike_alone_and_among_others():
    words = Words(TEXTS)
    together = words.scores(["renew a card", "library"])
    assert (words.scores(["library"])[0] == together[1]).all()


def test_words_of_every_script_count():
    assert words_of("Wie verlängere ich?  Straße 7") == ["wie", "verlängere", "ich", "strasse", "7"]
    assert words_of("کتاب, книга") == ["کتاب", "книга"]


def test_texts_without_a_word_are_refused():
    with pytest.raises(InputError, match="no text holds a word"):
        Words(["...", "?"])
