"""Packing: every token once, padding only inside a group, groups and batches cut as stated."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from semblance.data.corpus import Tokens
from semblance.models.packing import SLACK, cut_groups, pack, token_budget_batches

PAD = 99_999
lengths_of = st.lists(st.integers(1, 40), min_size=1, max_size=30)


def tokens_of(lengths):
    """Sentence i holds the ids 1000 i, 1000 i + 1, ...: each token tells where it comes from."""
    ids = [1000 * i + t for i, n in enumerate(lengths) for t in range(n)]
    return Tokens(np.array(ids, np.int32), np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64))


def truncated(i, length, limit):
    """A sentence's ids with the last, special one kept at the end when it is cut."""
    whole = [1000 * i + t for t in range(length)]
    return whole if length <= limit else whole[:limit - 1] + whole[-1:]


@settings(deadline=None)
@given(lengths_of, st.integers(2, 45), st.randoms(use_true_random=False))
def test_every_sentence_is_found_again_cut_to_the_limit(lengths, limit, random):
    numbers = [random.randrange(len(lengths)) for _ in lengths]
    packed = pack(tokens_of(lengths), np.array(numbers), limit, PAD)
    assert sorted(packed.order.tolist()) == list(range(len(numbers)))
    for row, place in enumerate(packed.order.tolist()):
        mine = packed.real & (packed.rows == row)
        expected = truncated(numbers[place], lengths[numbers[place]], limit)
        assert packed.ids[mine].tolist() == expected
        assert packed.positions[mine].tolist() == list(range(len(expected)))
        assert packed.lengths[row] == len(expected)
        assert packed.ids[packed.starts[row]] == expected[0]


@settings(deadline=None)
@given(lengths_of)
def test_padding_is_marked_and_hidden_from_attention(lengths):
    packed = pack(tokens_of(lengths), np.arange(len(lengths)), 100, PAD)
    assert (packed.ids[~packed.real] == PAD).all() and (packed.ids[packed.real] != PAD).all()
    assert int(packed.real.sum()) == sum(lengths)
    for g in packed.groups:
        real = packed.real[g.start:g.start + g.count * g.length].view(g.count, g.length)
        if g.bias is None:
            assert real.all()
        else:
            assert g.bias.shape == (g.count, 1, 1, g.length)
            assert torch.equal(g.bias[:, 0, 0], torch.zeros(real.shape).masked_fill(~real, float("-inf")))


@settings(deadline=None)
@given(lengths_of)
def test_groups_lie_end_to_end_and_waste_at_most_the_slack(lengths):
    packed = pack(tokens_of(lengths), np.arange(len(lengths)), 100, PAD)
    row = start = 0
    for g in packed.groups:
        assert (g.row, g.start) == (row, start)
        row, start = row + g.count, start + g.count * g.length
        inside = packed.lengths[g.row:g.row + g.count]
        assert g.length == inside.max() and inside.min() >= SLACK * g.length
    assert (row, start) == (len(lengths), len(packed.ids))


@settings(deadline=None)
@given(st.lists(st.integers(1, 40), max_size=30), st.integers(0, 300))
def test_a_group_too_small_for_a_gpu_goes_on(lengths, least):
    lengths = sorted(lengths, reverse=True)
    runs = cut_groups(lengths, least=least)
    assert [i for first, last in runs for i in range(first, last)] == list(range(len(lengths)))
    for (first, last), (after, _) in zip(runs, runs[1:]):
        assert (last - first) * lengths[first] >= least
        assert lengths[after] < SLACK * lengths[first]
        small = [i for i in range(first + 1, last) if lengths[i] < SLACK * lengths[first]]
        assert all((i - first) * lengths[first] < least for i in small)  # it ended as soon as it could


@pytest.mark.parametrize("lengths,slack,expected", [
    ([10, 9, 8, 5, 5, 2], 0.85, [(0, 2), (2, 3), (3, 5), (5, 6)]),  # 8.5 and 6.8, 4.25 are the limits
    ([10, 9, 8, 5, 5, 2], 0.5, [(0, 5), (5, 6)]), ([4, 4, 4], 1.0, [(0, 3)]), ([7], 0.85, [(0, 1)]), ([], 0.85, [])])
def test_a_group_ends_where_a_sentence_is_shorter_than_the_slack_allows(lengths, slack, expected):
    assert cut_groups(lengths, slack) == expected


@settings(deadline=None)
@given(lengths_of, st.integers(1, 120))
def test_token_budget_batches_hold_every_sentence_once_longest_first(lengths, budget):
    lengths = np.array(lengths)
    found = token_budget_batches(lengths, budget)
    order = np.concatenate(found)
    assert sorted(order.tolist()) == list(range(len(lengths)))
    assert (np.diff(lengths[order]) <= 0).all()
    assert all(len(batch) and lengths[batch].sum() < budget + lengths.max() for batch in found)


def test_a_budget_that_all_sentences_fit_gives_one_batch():
    assert [b.tolist() for b in token_budget_batches(np.array([3, 5, 4]), 100)] == [[1, 2, 0]]
