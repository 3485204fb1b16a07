"""FAQ banks and their folds: what stays together, what never moves, the same on every machine."""

import os
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from semblance.data.faq import (
    KNOWN,
    Faq,
    FaqPair,
    FaqQuery,
    Split,
    answers_known_by_groups,
    dev_part,
    new_wordings,
    split_bank,
    split_groups,
    unique_answers,
)
from semblance.errors import InputError
from tests.scripts.flags import python

PAIRS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 20)), min_size=30, max_size=60)
DISTINCT = [(i, i) for i in range(5)]
WORDINGS = Split(3, 0, hold_out="wordings")


def bank(pairs, queries=(), groups=None):
    """A bank of (question, answer) numbers, and queries to the pairs of some numbers.

    The group of a query is that of its pair, or one of ``groups``.
    """
    found = tuple(FaqPair(str(i), f"q{q}", f"a{a}", f"q{q}") for i, (q, a) in enumerate(pairs))
    groups = groups or [found[number].group for number in queries]
    asked = (
        FaqQuery(f"u{i}", f"wording {i}", group, (str(number),))
        for i, (number, group) in enumerate(zip(queries, groups, strict=True))
    )
    return Faq("mine", found, tuple(asked))


def connected(pairs) -> list[set[int]]:
    """The sets of pairs that questions or answers connect, by merging them pair by pair."""
    sets: list[set[int]] = []
    for number, pair in enumerate(pairs):
        merged = {number}
        for other in list(sets):
            if any(pair[0] == pairs[i][0] or pair[1] == pairs[i][1] for i in other):
                sets.remove(other)
                merged |= other
        sets.append(merged)
    return sets


@settings(deadline=None)
@given(PAIRS)
def test_all_questions_of_one_answer_share_a_part(pairs):
    assume(len(connected(pairs)) >= 3)
    parts = split_bank(bank(pairs), Split(3, 0, together="answer"))[0]
    for together in connected(pairs):
        assert len({parts[i] for i in together}) == 1


def test_by_group_two_questions_of_one_answer_may_be_apart():
    pairs = [(i, 0) for i in range(9)]
    assert sorted(split_bank(bank(pairs), Split(3, 0))[0]) == [0, 0, 0, 1, 1, 1, 2, 2, 2]


@settings(deadline=None)
@given(PAIRS, st.lists(st.integers(0, 29), max_size=50))
def test_queries_do_not_move_the_parts_of_the_pairs(pairs, queries):
    assume(len({q for q, _ in pairs}) >= 5)
    without = split_bank(bank(pairs), Split(5, 0))
    found = split_bank(bank(pairs, queries), Split(5, 0))
    assert found[0] == without[0]
    assert found[1] == [found[0][number] for number in queries]


def test_queries_of_groups_without_pairs_are_split_among_themselves():
    groups = [f"template {i // 2}" for i in range(10)]
    parts = split_bank(bank(DISTINCT, [0] * 10, groups), Split(5, 0))[1]
    assert parts[::2] == parts[1::2] and sorted(parts[::2]) == [0, 1, 2, 3, 4]


def test_fewer_such_groups_than_folds_have_a_part_each():
    asked = bank(DISTINCT, [0, 0], ["template 0", "template 1"])
    assert split_bank(asked, Split(5, 0))[1] == [0, 1]


def wordings(*texts, question="q"):
    """A bank of one pair, and users' queries to it."""
    pair = FaqPair("0", question, "a", question)
    queries = (FaqQuery(str(i), text, question, ("0",)) for i, text in enumerate(texts))
    return Faq("mine", (pair,), tuple(queries))


def test_all_spellings_of_one_wording_share_a_part():
    asked = wordings(
        "How?", "how", "HOW !", "\N{FULLWIDTH LATIN SMALL LETTER H}ow", "Why?", "When?"
    )
    parts = split_bank(asked, WORDINGS)[1]
    assert len(set(parts[:4])) == 1 and set(parts) == {0, 1, 2}


def test_a_wording_that_is_a_question_of_the_bank_is_known_in_any_spelling():
    asked = wordings("how?", "How", "1", "2", "3", question="How?")
    parts = split_bank(asked, WORDINGS)[1]
    assert parts[:2] == [KNOWN, KNOWN] and set(parts[2:]) == {0, 1, 2}
    assert new_wordings(asked) == {"1", "2", "3"}


def test_a_query_without_an_answer_is_no_wording_to_test():
    asked = wordings("1")
    without = FaqQuery("x", "2", "q", ())
    assert new_wordings(replace(asked, queries=(*asked.queries, without))) == {"1"}


def test_texts_of_signs_alone_stay_apart():
    assert new_wordings(wordings("?", "!?")) == {"?", "!?"}


@pytest.mark.parametrize(
    "questions, answers", [(["1", "2"], ["Yes.", "yes"]), (["How?", "how"], ["1", "2"])]
)
def test_pairs_that_differ_only_in_spelling_share_a_part(questions, answers):
    texts = [*zip(questions, answers, strict=True), ("x", "x"), ("y", "y")]
    pairs = tuple(FaqPair(str(i), q, a, q) for i, (q, a) in enumerate(texts))
    parts = split_bank(Faq("mine", pairs, ()), Split(3, 0, together="answer"))[0]
    assert parts[0] == parts[1] and set(parts) == {0, 1, 2}


@settings(deadline=None)
@given(PAIRS)
def test_answers_known_by_groups_are_those_that_a_fold_would_train_on(pairs):
    assume(len({q for q, _ in pairs}) >= 5)
    found = bank(pairs).pairs
    parts = split_bank(bank(pairs), Split(5, 0))[0]
    known = 0
    for fold in range(5):
        held_out = (fold, (fold + 1) % 5)
        trained = {p.answer for p, part in zip(found, parts, strict=True) if part not in held_out}
        tested = [p for p, part in zip(found, parts, strict=True) if part == fold]
        known += sum(p.answer in trained for p in tested)
    assert answers_known_by_groups(found, Split(5, 0)) == known


def test_two_folds_leave_none_to_train_on():
    with pytest.raises(InputError, match="2 parts leave none to train on"):
        split_bank(bank(DISTINCT), Split(2, 0))


def test_identical_answers_share_one_candidate():
    answers = {"x": "B  b", "y": "A", "z": "B b ", "w": "b b"}
    faq = Faq("f", tuple(FaqPair(key, "q", answer, "g") for key, answer in answers.items()), ())
    assert unique_answers(faq) == (["B b", "A", "b b"], {"x": 0, "y": 1, "z": 0, "w": 2})


GROUPS = st.lists(st.integers(0, 12).map(str), min_size=5, max_size=80).filter(
    lambda groups: len(set(groups)) >= 5
)


@settings(deadline=None)
@given(GROUPS, st.integers(0, 5))
def test_groups_are_whole_parts_balanced_and_the_order_of_items_counts_for_nothing(groups, seed):
    parts = split_groups(groups, 5, seed)
    assert len(set(zip(groups, parts, strict=True))) == len(set(groups))
    sizes = Counter(parts)
    assert set(sizes) == set(range(5))
    assert max(sizes.values()) - min(sizes.values()) <= max(Counter(groups).values())
    assert parts == split_groups(groups[::-1], 5, seed)[::-1]


def test_the_largest_groups_are_placed_first():
    groups = ["big"] * 4 + list("abcd")  # placed last, "big" would leave 6 against 2
    for seed in range(10):
        assert sorted(Counter(split_groups(groups, 2, seed)).values()) == [4, 4]


def test_another_seed_gives_another_split():
    groups = [str(i) for i in range(100)]
    assert split_groups(groups, 5, 0) != split_groups(groups, 5, 1)


def test_every_process_gives_the_same_split():
    code = "from semblance.data.faq import split_groups; print(split_groups('abcdefghij', 5, 3))"
    hashing = ({**os.environ, "PYTHONHASHSEED": seed} for seed in "12")
    printed = {python("-c", code, env=environment).stdout for environment in hashing}
    assert printed == {f"{split_groups(list('abcdefghij'), 5, 3)}\n"}


@pytest.mark.parametrize("groups, folds", [("a" * 9, 3), ("ab", 3), ("ab", 1), ("", 5)])
def test_too_few_groups_are_refused(groups, folds):
    with pytest.raises(InputError, match="folds"):
        split_groups(groups, folds, 0)


def test_the_dev_parts_rotate_with_the_test_parts():
    assert [dev_part(test, 5) for test in range(5)] == [1, 2, 3, 4, 0]
