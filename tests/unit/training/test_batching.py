"""Batches: no sentence twice in one, no row lost, the same for the same seed."""

from collections import Counter
from itertools import chain, islice

import numpy as np
import pytest

from semblance.data.corpus import NONE, Rows
from semblance.errors import InputError
from semblance.training.batching import batches, disjoint_rows, keys_of


def rows_of(*rows):
    return Rows(*(np.asarray(column, np.int32) for column in zip(*rows, strict=True)))


def crowded(seed=0, count=40, sentences=60):
    """Rows that share many sentences, a third of them without a negative."""
    generator = np.random.default_rng(seed)
    rows = generator.integers(0, sentences, (count, 3))
    rows[::3, 2] = NONE
    return rows_of(*rows.tolist())


def separate(count):
    return rows_of(*([3 * i, 3 * i + 1, 3 * i + 2] for i in range(count)))


def take(stream, count):
    return [batch.tolist() for batch in islice(stream, count)]


@pytest.mark.parametrize("seed", range(5))
def test_no_sentence_stands_in_two_rows_of_a_batch(seed):
    rows = crowded(seed)
    for batch in take(batches(rows, 6, seed), 100):
        assert len(batch) == 6
        texts = [{int(column[r]) for column in rows} - {NONE} for r in batch]
        assert sum(map(len, texts)) == len(set().union(*texts))


def test_the_second_hard_negative_of_a_row_stands_in_no_other_row_of_its_batch():
    rows = Rows(*np.arange(12, dtype=np.int32).reshape(4, 3).T)
    second = np.array([100, 101, 100, 102], np.int32)  # rows 0 and 2 share it
    rows = rows._replace(negative=np.stack([rows.negative, second], axis=1))
    drawn = take(batches(rows, 3, 0), 20)
    assert not any({0, 2} <= set(batch) for batch in drawn)
    assert disjoint_rows(rows.columns(), 4) == 3


@pytest.mark.parametrize(
    "rows, no_duplicates",
    [
        ([[0, 1, NONE], [2, 3, NONE], [4, 5, NONE]], True),  # no negative is no common sentence
        ([[0, 0, NONE], [1, 1, NONE]], True),  # a row may pair a sentence with itself
        ([[0, 1, 2]] * 3, False),  # duplicates are allowed
    ],
)
def test_rows_that_exclude_none_stand_in_one_batch(rows, no_duplicates):
    [batch] = take(batches(rows_of(*rows), len(rows), 0, no_duplicates), 1)
    assert sorted(batch) == list(range(len(rows)))


@pytest.mark.parametrize("count,size", [(12, 4), (10, 4), (7, 7), (9, 2)])
def test_each_row_is_used_once_before_any_is_used_again(count, size):
    drawn = list(chain.from_iterable(take(batches(separate(count), size, 3), 5 * count)))
    for start in range(0, len(drawn) - count + 1, count):  # epochs run on over the batches' borders
        assert sorted(drawn[start : start + count]) == list(range(count))


@pytest.mark.parametrize("seed", range(5))
def test_rows_that_must_wait_are_used_as_often_as_the_others(seed):
    rows, epochs, size = crowded(seed), 60, 4
    drawn = Counter(chain.from_iterable(take(batches(rows, size, seed), epochs * 40 // size)))
    assert set(drawn) == set(range(40))
    # 60 uses each, but for the few that wait at the end
    assert max(drawn.values()) - min(drawn.values()) <= 3


def test_batches_stay_full_where_one_entry_has_many_of_the_rows():
    """Of 60 rows of one entry a batch takes one: in an epoch of 357 rows some 50 find no place."""
    entries = [0] * 60 + [e for e in range(1, 100) for _ in range(3)]
    rows = rows_of(*([entry, 100 + n, NONE] for n, entry in enumerate(entries)))
    drawn = take(batches(rows, 64, 1), 300)  # 50 epochs
    assert {len(batch) for batch in drawn} == {64}
    uses = Counter(chain.from_iterable(drawn))
    others = [uses[row] for row in range(60, len(entries))]
    # 300 rows of the large entry and 300 * 63 of the 297 others, but for the few that wait
    assert all(abs(uses[row] - 5) <= 2 for row in range(60))
    assert all(abs(n - 300 * 63 / 297) <= 2 for n in others)


def test_a_row_that_waits_comes_in_the_next_batch():
    # The twelve rows are one epoch; rows 0 to 2 exclude each other.
    alone = ([10 * i, 10 * i + 1, NONE] for i in range(1, 10))
    rows = rows_of(*([0, i, NONE] for i in range(1, 4)), *alone)
    drawn = take(batches(rows, 3, 0), 4)
    held = [i for i, batch in enumerate(drawn) if set(batch) & {0, 1, 2}]
    assert all(len(set(batch) & {0, 1, 2}) <= 1 for batch in drawn) and len(held) == 3


def test_each_epoch_and_each_seed_has_an_order_of_its_own_and_the_same_seed_has_the_same():
    first, second = take(batches(separate(30), 30, 0), 2)
    assert sorted(first) == sorted(second) and first != second
    one, again, other = (take(batches(crowded(), 5, seed), 50) for seed in (7, 7, 8))
    assert one == again and one != other


@pytest.mark.parametrize("size", [2, 5])
def test_a_batch_that_cannot_be_filled_is_refused(size):
    rows = rows_of(*([0, i, NONE] for i in range(1, 9)))  # all share sentence 0
    with pytest.raises(InputError, match="corpus: no two rows"):
        next(batches(rows, size, 0))


def test_a_batch_of_one_row_can_always_be_filled():
    rows = rows_of([0, 1, NONE], [0, 2, NONE])
    assert sorted(chain.from_iterable(take(batches(rows, 1, 0), 2))) == [0, 1]


def connected(rows):
    """Return what sentences chains of rows connect with each sentence, by brute force."""
    found = {n: {n} for column in rows for n in column.tolist() if n != NONE}
    for _ in found:
        for query, positive in zip(rows.query.tolist(), rows.positive.tolist(), strict=True):
            joined = found[query] | found[positive]
            for n in joined:
                found[n] = joined
    return found


@pytest.mark.parametrize("seed", range(5))
def test_no_entry_stands_in_two_rows_of_a_batch_where_entries_are_kept_apart(seed):
    rows = crowded(seed, count=30, sentences=70)
    entry = connected(rows)
    for batch in take(batches(rows, 4, seed, apart="entries"), 100):
        found = [
            set().union(*(entry[int(column[r])] for column in rows if column[r] != NONE))
            for r in batch
        ]
        assert sum(map(len, found)) == len(set().union(*found))


def test_two_wordings_of_one_entry_share_a_batch_only_where_sentences_are_kept_apart():
    answer, question, one, other = range(4)  # one wording meets the answer, another the question
    rows = rows_of([question, answer, NONE], [one, answer, NONE], [other, question, NONE])
    rows = rows_of(*zip(*(c.tolist() for c in rows), strict=True), [10, 11, NONE], [12, 13, NONE])
    by_sentence = take(batches(rows, 3, 0), 40)
    by_entry = take(batches(rows, 3, 0, apart="entries"), 40)
    assert any({1, 2} <= set(batch) for batch in by_sentence)
    assert max(len({0, 1, 2} & set(batch)) for batch in by_entry) == 1
    assert disjoint_rows(keys_of(rows, "sentences"), 9) == 3
    assert disjoint_rows(keys_of(rows, "entries"), 9) == 3


def test_without_duplicates_in_common_entries_and_sentences_give_the_same_batches():
    rows = separate(30)
    assert take(batches(rows, 7, 1, apart="entries"), 9) == take(batches(rows, 7, 1), 9)


def test_disjoint_rows_counts_a_first_pass():
    assert disjoint_rows(separate(7).columns(), 100) == 7
    assert disjoint_rows(separate(7).columns(), 3) == 3  # no more are asked for
    chain_of_rows = rows_of([0, 1, NONE], [1, 2, NONE], [2, 3, NONE], [NONE, 4, NONE])
    assert disjoint_rows(chain_of_rows.columns(), 100) == 3
    same_query = rows_of(*([0, i, NONE] for i in range(1, 9)))
    assert disjoint_rows(same_query.columns(), 100) == 1


@pytest.mark.parametrize("seed", range(4))
def test_as_many_rows_as_are_disjoint_fill_a_batch_under_every_seed(seed):
    # Rows 0 and 1 go together, row 2 with neither.
    rows = rows_of([0, 1, NONE], [2, 3, NONE], [0, 2, NONE])
    size = disjoint_rows(rows.columns(), 64)
    assert len(take(batches(rows, size, seed), 5)) == 5
