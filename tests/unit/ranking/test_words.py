from math import log

import numpy as np
import pytest

from semblance.errors import InputError
from semblance.ranking.words import Words, terms_of

TEXTS = ["How do I renew a loan?", "Renew a card", "Opening hours of the library", "..."]


def bm25(question: str, k1: float = 1.5, b: float = 0.75) -> list[float]:
    """BM25 with Lucene's idf, written out from Robertson and Zaragoza (2009)."""
    documents = [terms_of(text) for text in TEXTS]
    mean = sum(map(len, documents)) / len(documents)
    found = []
    for document in documents:
        score = 0.0
        for word in terms_of(question):
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


def test_terms_are_the_marked_parts_of_words_in_every_script():
    assert terms_of("Zur Straße 7") == [
        *(" zur", "zur "),
        *(" str", "stra", "tras", "rass", "asse", "sse "),
        " 7 ",
    ]
    assert terms_of("книга, a") == [" кни", "книг", "нига", "ига ", " a "]


def test_a_compound_and_another_form_of_a_word_share_terms():
    texts = ["Bibliotheksausweis", "renewal of loans", "opening hours"]
    for question, place in (("Ausweis der Bibliothek", 0), ("renewing", 1), ("open", 2)):
        assert int(Words(texts).scores([question])[0].argmax()) == place


def test_texts_without_a_word_are_refused():
    with pytest.raises(InputError, match="no text holds a word"):
        Words(["...", "?"])
