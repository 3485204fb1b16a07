"""Mined hard negatives: near the query, wrong for it, of the fold's own training texts, and bounded."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semblance.data.corpus import number_sentences, read_rows, read_sentences
from semblance.data.faq import Faq, FaqPair, FaqQuery
from semblance.data.folds import ANSWER, QUESTION, WORDING, FoldText, read_texts
from semblance.data.negatives import MiningSettings, below, mine
from semblance.data.prepare_faq import BankSettings, FaqFolders, write_folds
from semblance.errors import InputError

FOLDS = 3
HARDEST = MiningSettings(margin=1.0, ranks=1)


def corpus(entries, wordings=()):
    """Sentences, rows and texts of entries (question, answer, group) and wordings (text, entries)."""
    numbers = {answer: i for i, answer in enumerate(dict.fromkeys(a for _, a, _ in entries))}
    rows = [(question, answer, None) for question, answer, _ in entries]
    texts = []
    for question, answer, group in entries:
        texts.append(FoldText(answer, ANSWER, numbers[answer], group))
        texts.append(FoldText(question, QUESTION, numbers[answer], group))
    for text, known in wordings:
        for entry in known:
            question, answer, group = entries[entry]
            texts.append(FoldText(text, WORDING, numbers[answer], group))
            rows += [(text, answer, None), (text, question, None)]
    sentences, numbered = number_sentences(rows)
    return sentences, numbered, texts


def vectors_of(sentences, places):
    """Unit vectors in a plane: ``places`` maps a text to its angle in degrees."""
    angles = np.radians([places[sentence] for sentence in sentences])
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def mined(entries, places, wordings=(), how=HARDEST):
    """Map (query, positive) to its hard negative; and the counts."""
    sentences, rows, texts = corpus(entries, wordings)
    found, counts = mine(rows, sentences, texts, vectors_of(sentences, places), how)
    named = [[sentences[number] for number in column] for column in found]
    return {(q, p): n for q, p, n in zip(*named, strict=True)}, counts


ENTRIES = [("q0", "a0", "g0"), ("q1", "a1", "g1"), ("q2", "a2", "g2"), ("q3", "a3", "g3")]
# All questions at 0 but for small steps; the answers fall away from them with their number.
PLACES = {f"q{i}": i for i in range(4)} | {f"a{i}": 10 * i for i in range(4)} | {"w": 0}


def test_the_hard_negative_is_the_wrong_answer_that_is_nearest_to_the_query():
    found, counts = mined(ENTRIES, {**PLACES, "a0": 5})
    assert found[("q0", "a0")] == "a1"
    assert found[("q1", "a1")] == "a2"  # a0 is nearer than the right answer, so it may be right
    assert counts["rows"] == 4 and counts["left out"] == 0


def test_a_candidate_must_be_below_the_margin_of_the_right_answer():
    places = {**PLACES, "a0": 60, "a1": 55, "a2": 61, "a3": 80}
    assert np.cos(np.radians(61)) > 0.95 * np.cos(np.radians(60))
    hardest, _ = mined(ENTRIES, places)
    careful, _ = mined(ENTRIES, places, how=MiningSettings(0.95, 1))
    assert hardest[("q0", "a0")] == "a2" and careful[("q0", "a0")] == "a3"


def test_the_margin_of_a_negative_score_lies_below_it_too():
    assert below(0.5, 0.9) == pytest.approx(0.45) and below(-0.5, 0.9) == pytest.approx(-0.55)
    assert below(0.3, 1.0) == 0.3


def test_where_all_others_are_nearer_than_the_right_answer_the_farthest_is_taken():
    places = {**PLACES, "a0": 90}
    found, counts = mined(ENTRIES, places)
    assert found[("q0", "a0")] == "a3" and counts["above the margin"] == 1


def test_an_answer_of_the_same_group_is_never_a_negative():
    entries = [("q0", "a0", "g0"), ("q1", "a1", "g0"), ("q2", "a2", "g2"), ("q3", "a3", "g3")]
    assert mined(ENTRIES, PLACES)[0][("q0", "a0")] == "a1"  # without the group it would be
    assert mined(entries, PLACES)[0][("q0", "a0")] == "a2"


def test_all_entries_with_an_equal_answer_count_as_one():
    entries = [("q0", "a0", "g0"), ("q1", "a0", "g1"), ("q2", "a2", "g1"), ("q3", "a3", "g3")]
    # a0 stands in g0 and g1, so a2 of g1 belongs to it
    assert mined(entries, PLACES)[0][("q0", "a0")] == "a3"


def test_what_is_right_for_a_wording_is_no_negative_of_any_of_its_rows():
    found, _ = mined(ENTRIES, {**PLACES, "a0": 1, "a1": 2}, [("w", (0, 1))])
    assert found[("w", "a0")] == found[("w", "a1")] == "a2"
    alone, _ = mined(ENTRIES, {**PLACES, "a0": 1, "a1": 2}, [("w", (0,))])
    assert alone[("w", "a0")] == "a1"


def test_the_negative_of_a_question_is_a_question():
    found, _ = mined(ENTRIES, {**PLACES, "q0": 0.5}, [("w", (0,))])
    assert found[("w", "q0")] == "q1" and found[("w", "a0")].startswith("a")


def test_within_the_ranks_the_text_that_fewest_rows_have_is_taken():
    # The right answers of q0 and q1 are at 0, as the questions; a2 is the next for both, then a3.
    places = {**PLACES, "q0": 0, "q1": 0, "a0": 0, "a1": 0, "a2": 10, "a3": 20}
    first, _ = mined(ENTRIES, places, how=MiningSettings(1.0, 1))
    assert first[("q0", "a0")] == first[("q1", "a1")] == "a2"
    spread, _ = mined(ENTRIES, places, how=MiningSettings(1.0, 2))
    assert (spread[("q0", "a0")], spread[("q1", "a1")]) == ("a2", "a3")


def test_a_row_to_which_every_answer_belongs_is_left_out():
    found, counts = mined(ENTRIES, PLACES, [("w", (0, 1, 2, 3))])
    assert counts["left out"] == 8 and len(found) == 4
    assert not any(query == "w" for query, _ in found)


def test_a_bank_of_one_group_is_refused():
    with pytest.raises(InputError, match="no row has a wrong answer of another group"):
        mined([("q0", "a0", "g"), ("q1", "a1", "g")], PLACES)


NUMBERS = st.integers(0, 5)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), min_size=3, max_size=15, unique=True),
    st.lists(st.tuples(NUMBERS, st.sets(NUMBERS, min_size=1, max_size=2)), max_size=6),
    st.integers(1, 4),
)
def test_no_negative_belongs_to_its_row_whatever_the_bank(entries, wordings, ranks):
    entries = [(f"q{q}", f"a{a}", f"g{g}") for q, a, g in entries]
    asked = [(f"w{w}", [n for n in sorted(of) if n < len(entries)]) for w, of in wordings]
    sentences, rows, texts = corpus(entries, asked)
    vectors = np.random.default_rng(0).normal(size=(len(sentences), 4))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    how = MiningSettings(0.95, ranks)
    try:
        found, counts = mine(rows, sentences, texts, vectors, how)
    except InputError:
        return
    again, _ = mine(rows, sentences, texts, vectors, how)
    assert all((one == other).all() for one, other in zip(found, again, strict=True))
    assert counts["rows"] + counts["left out"] == len(rows.query)

    def keys(number):
        """The answers and groups that a sentence belongs to."""
        own = [text for text in texts if text.text == sentences[number]]
        return {("answer", t.answer) for t in own} | {("group", t.group) for t in own}

    for query, positive, negative in zip(*found, strict=True):
        assert (keys(query) | keys(positive)).isdisjoint(keys(negative))


def bank():
    """Twelve entries in groups of one, with two wordings each."""
    numbers = range(12)
    pairs = (FaqPair(str(i), f"question {i}", f"answer {i}", f"g{i}") for i in numbers)
    queries = (
        FaqQuery(f"{i}-{n}", f"wording {n} of {i}", f"g{i}", (str(i),))
        for i in numbers
        for n in range(2)
    )
    return Faq("mine", tuple(pairs), tuple(queries))


def negatives_of(folder):
    """Mine the negatives of a corpus whose texts all have different random vectors."""
    sentences = read_sentences(folder)
    rows = read_rows(folder)
    seeds = [[*sentence.encode()] for sentence in sentences]
    vectors = np.stack([np.random.default_rng(seed).normal(size=8) for seed in seeds])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    found, _ = mine(rows, sentences, read_texts(folder), vectors, MiningSettings(0.95, 5))
    assert len(found.query) == len(rows.query) > 0
    return {sentences[number] for number in found.negative}


@pytest.mark.parametrize("hold_out", ["entries", "wordings"])
def test_nothing_that_a_fold_holds_out_is_a_negative_there_though_it_is_one_elsewhere(
    tmp_path, hold_out
):
    to = FaqFolders(tmp_path / "bank", tmp_path, tmp_path / "dev")
    wanted = BankSettings("mine", "own", FOLDS, 0, path="f", hold_out=hold_out, train_on="wordings")
    write_folds(bank(), wanted, to)
    of_whole = negatives_of(tmp_path / "mine-all")
    everything = {text.text for text in read_texts(tmp_path / "mine-all")}
    held_out_somewhere = set()
    for fold in range(FOLDS):
        folder = tmp_path / f"mine-{fold}"
        known = {text.text for text in read_texts(folder)}
        assert known == set(read_sentences(folder))
        held_out = everything - known
        assert held_out  # or the fold holds nothing out
        assert held_out.isdisjoint(negatives_of(folder))
        held_out_somewhere |= held_out
    if hold_out == "entries":
        assert held_out_somewhere & of_whole  # elsewhere the same texts are negatives
    assert not any(text.startswith("wording") for text in of_whole)
