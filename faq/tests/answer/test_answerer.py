"""Questions are answered by the ranking of the folder, and not below its threshold."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faq.tests.example_faq import ANSWERS, ENTRIES, write_example
from semblance.data.tokens import tokenise
from semblance.errors import InputError
from semblance.models import folder as model_folder
from semblance.ranking.words import Words
from semblance_faq.answer.answerer import LONGEST, Answerer, best_first
from semblance_faq.answer.folder import Threshold

RESET, LOGIN, REFUND, _ = ENTRIES


def cosines(model, question, texts):
    """The cosine of a question with each text, in float64, from the model alone."""
    tokens = tokenise(model.tokenizer, [question, *texts])
    first, *others = model_folder.load(model.folder).encode(tokens, 32).astype(np.float64)
    return [v @ first / np.linalg.norm(v) / np.linalg.norm(first) for v in others]


def test_a_known_question_finds_its_answer_first_and_says_why(answerer):
    found = answerer.ask(f"  {REFUND.wordings[0].upper()} ")
    assert found.question == REFUND.wordings[0].upper() and found.known
    best = found.answers[0]
    assert (best.rank, best.id, best.answer) == (1, REFUND.id, REFUND.answer)
    assert best.question == REFUND.question
    assert (best.matched_text, best.matched_kind) == (REFUND.wordings[0], "wording")
    assert best.score == pytest.approx(1, abs=1e-5)  # the tokenizer folds case


@pytest.mark.parametrize("ranking", ["vectors", "words", "hybrid"])
@pytest.mark.parametrize("entry", ENTRIES)
def test_the_own_questions_of_a_faq_get_their_entries_also_where_answers_alone_are_compared(
    model, tmp_path, ranking, entry
):
    changes = {"ranking": ranking, "match": "answer", "threshold": None, "floor": 7.5}
    answerer = Answerer.open(write_example(tmp_path, model, **changes))
    for kind, text in (("question", entry.question), *(("wording", w) for w in entry.wordings)):
        found = answerer.ask(f" {text.upper()}")
        best = found.answers[0]
        assert (best.id, best.matched_kind, best.matched_text) == (entry.id, kind, text)
        assert best.score == 7.5 and found.given == (best,)
    other = answerer.ask("Something else entirely")
    assert {answer.matched_kind for answer in other.answers} == {"answer"} and not other.given


def test_each_score_is_the_best_cosine_of_the_answers_texts_also_below_the_threshold(
    answerer, model
):
    question = "Something else entirely"
    found = answerer.ask(question, 100)
    expected = []
    for entries in ([RESET, LOGIN], *([entry] for entry in ENTRIES[2:])):
        texts = [t for e in entries for t in (e.answer, e.question, *e.wordings)]
        texts = [" ".join(text.split()) for text in texts]
        expected.append(max(cosines(model, question, texts)))
    assert len(found.answers) == ANSWERS
    assert [a.score for a in found.answers] == pytest.approx(sorted(expected)[::-1], abs=1e-5)
    assert [answer.rank for answer in found.answers] == [1, 2, 3]
    assert not found.known and found.answers[0].score < found.threshold.score
    assert answerer.ask(question, 2).answers == found.answers[:2]


def test_of_two_entries_with_one_answer_the_matching_one_is_shown(answerer):
    found = answerer.ask(LOGIN.question, 100)
    assert found.answers[0].id == LOGIN.id
    assert RESET.id not in [answer.id for answer in found.answers]


def changed(answerer, **changes):
    """The same answerer with other settings."""
    stored = answerer.stored
    return Answerer(replace(stored, settings=replace(stored.settings, **changes)))


def test_a_score_at_the_threshold_is_known_and_one_below_it_is_not(answerer):
    question = "Something else entirely"
    plain = changed(answerer, threshold=None).ask(question)
    assert plain.likely and not plain.known and plain.given  # nothing was promised
    score = plain.answers[0].score
    for least, known in ((score, True), (float(np.nextafter(score, 2)), False)):
        found = changed(answerer, threshold=Threshold(least, 0.9, 0.5)).ask(question)
        assert found.known == bool(found.given) == known and found.likely


@pytest.mark.parametrize("threshold", [None, Threshold(0.0, 0.9, 0.5)])
def test_below_the_floor_nothing_is_likely_or_known(answerer, threshold):
    question = "Something else entirely"
    score = answerer.ask(question).answers[0].score
    for floor, likely in ((score, True), (float(np.nextafter(score, 2)), False)):
        found = changed(answerer, threshold=threshold, floor=floor).ask(question)
        assert found.likely == bool(found.given) == likely
        assert found.known == (likely and threshold is not None) and found.floor == floor


def test_words_rank_without_a_model_and_know_when_no_word_is_shared(answerer):
    by_words = changed(answerer, ranking="words", threshold=None)
    assert by_words.embedder is None
    found = by_words.ask("refund")
    texts = answerer.stored.bank.texts
    assert found.likely and found.answers[0].id == REFUND.id
    assert found.answers[0].score == pytest.approx(Words(texts).scores(["refund"]).max())
    assert not by_words.ask("xyzzy").likely


def test_the_hybrid_adds_a_tenth_of_the_scaled_bm25_score_to_the_cosine(answerer):
    question = "get money"
    by_cosine, by_words = (
        {" ".join(a.answer.split()): a.score for a in each.ask(question, 9).answers}
        for each in (answerer, changed(answerer, ranking="words"))
    )
    highest = max(by_words.values())
    expected = {key: cosine + 0.1 * by_words[key] / highest for key, cosine in by_cosine.items()}
    found = changed(answerer, ranking="hybrid", threshold=None).ask(question, 9).answers
    assert {" ".join(a.answer.split()): a.score for a in found} == pytest.approx(expected)
    assert [a.score for a in found] == pytest.approx(sorted(expected.values(), reverse=True))
    assert len({round(score, 9) for score in by_words.values()}) > 1


def test_two_threads_get_the_answers_that_one_gets(answerer):
    questions = [entry.question for entry in ENTRIES] * 5
    expected = [answerer.ask(question) for question in questions]
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(answerer.ask, questions)) == expected


NO_QUESTION = ("", " \n", "x" * (LONGEST + 1), "a\0b", "\ud800")
REFUSED = [(text, 1, "question") for text in NO_QUESTION]
REFUSED += [("How?", count, "count") for count in (0, -1, 101)]


@pytest.mark.parametrize("question, count, where", REFUSED)
def test_what_is_no_question_and_a_count_out_of_bounds_are_refused(
    answerer, question, count, where
):
    with pytest.raises(InputError, match=f"^{where}"):
        answerer.ask(question, count)


@settings(deadline=None, max_examples=40)
@given(st.text(max_size=LONGEST + 5))
def test_any_text_is_answered_or_refused_in_one_line(answerer, question):
    try:
        found = answerer.ask(question)
    except InputError as error:
        assert "\n" not in str(error)
        return
    scores = [answer.score for answer in found.answers]
    assert scores == sorted(scores, reverse=True) and np.isfinite(scores).all()


@settings(deadline=None)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=30), st.integers(1, 40))
def test_the_best_come_first_and_of_equal_ones_the_first(scores, count):
    expected = sorted(range(len(scores)), key=lambda i: (-scores[i], i))[:count]
    assert best_first(np.array(scores, np.float32), count) == expected
