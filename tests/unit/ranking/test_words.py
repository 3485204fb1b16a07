from math import log
from unicodedata import normalize

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


@pytest.mark.parametrize(
    "one, other",
    [
        ("１２３", "123"),  # full width
        (normalize("NFD", "비밀번호 재설정"), "비밀번호 재설정"),  # as a Mac writes Korean
        ("ｶｰﾄﾞ", "カード"),  # half width
        ("so\u00adft", "soft"),  # a soft hyphen
        ("cafe\u0301", "CAFÉ"),
    ],
)
def test_two_spellings_of_a_text_have_the_same_terms(one, other):
    assert terms_of(one) == terms_of(other)


@pytest.mark.parametrize("one, other", [("C#", "C"), ("C++", "C"), ("1.5", "15"), ("24/7", "247")])
def test_another_name_or_number_has_other_terms(one, other):
    assert not {*terms_of(one)} & {*terms_of(other)}


def test_a_mark_belongs_to_its_word():
    assert terms_of("में है") == [" में", "में ", " है "]


def test_terms_of_chinese_japanese_and_korean_are_pairs_of_signs():
    assert terms_of("密码忘了, VIP会員カード 票") == [
        *("密码", "码忘", "忘了"),
        *(" vip", "vip "),
        *("会員", "員カ", "カー", "ード"),
        "票",
    ]
    assert terms_of("환불은") == ["환불", "불은"]  # a noun and its particle
    texts = [
        "如何重置密码？",
        "如何取消订单？",
        "パスワードを忘れました",
        "환불은 언제 받나요?",
        "주문을 취소하나요?",
    ]
    asked = ("密码忘了怎么办", "我要取消订单", "パスワード", "환불", "주문 취소")
    for place, question in enumerate(asked):
        assert int(Words(texts).scores([question])[0].argmax()) == place


def test_a_compound_and_another_form_of_a_word_share_terms():
    texts = ["Bibliotheksausweis", "renewal of loans", "opening hours"]
    for question, place in (("Ausweis der Bibliothek", 0), ("renewing", 1), ("open", 2)):
        assert int(Words(texts).scores([question])[0].argmax()) == place


def test_texts_without_a_word_are_refused():
    with pytest.raises(InputError, match="no text holds a word"):
        Words(["...", "?"])
