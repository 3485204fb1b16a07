"""Packing: every token once, no padding, places for attention, groups and batches cut as stated."""

from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers.models.roberta.modeling_roberta import RobertaEmbeddings

from semblance.data.tokens import Tokens
from semblance.errors import InputError
from semblance.models.packing import (
    GROUP_TOKENS,
    SLACK,
    cut_groups,
    pack,
    pad,
    token_budget_batches,
    unpad,
)

lengths_of = st.lists(st.integers(1, 40), min_size=1, max_size=30)


def tokens_of(lengths):
    """Sentence i holds the ids 1000 i, 1000 i + 1, ...: each token tells where it comes from."""
    ids = [1000 * i + t for i, n in enumerate(lengths) for t in range(n)]
    return Tokens(np.array(ids, np.int32), np.cumsum([0, *lengths]))


def truncated(i, length, limit):
    """A sentence's ids with the last, special one kept at the end when it is cut."""
    whole = [1000 * i + t for t in range(length)]
    return whole if length <= limit else whole[: limit - 1] + whole[-1:]


@settings(deadline=None)
@given(lengths_of, st.integers(2, 45), st.randoms(use_true_random=False))
def test_every_sentence_is_found_again_cut_to_the_limit(lengths, limit, random):
    numbers = [random.randrange(len(lengths)) for _ in lengths]
    packed = pack(tokens_of(lengths), np.array(numbers), limit)
    assert sorted(packed.order.tolist()) == list(range(len(numbers)))
    for row, place in enumerate(packed.order.tolist()):
        mine = packed.rows == row
        expected = truncated(numbers[place], lengths[numbers[place]], limit)
        assert packed.ids[mine].tolist() == expected
        assert packed.positions[mine].tolist() == list(range(len(expected)))
        assert packed.lengths[row] == len(expected)
        assert packed.ids[packed.starts[row]] == expected[0]


@settings(deadline=None)
@given(lengths_of, st.integers(0, 2), st.integers(2, 45), st.integers(0, 100))
def test_positions_count_what_is_no_padding_as_transformers_counts_it(lengths, pad, limit, seed):
    ids = np.random.default_rng(seed).integers(0, 4, sum(lengths), dtype=np.int32)
    packed = pack(Tokens(ids, np.cumsum([0, *lengths])), np.arange(len(lengths)), limit)
    found = packed.count_positions(pad)
    for row in range(len(lengths)):
        mine = packed.rows == row
        theirs = RobertaEmbeddings.create_position_ids_from_input_ids(packed.ids[mine][None], pad)
        assert found[mine].tolist() == theirs[0].tolist()


def test_a_text_of_no_tokens_is_refused():
    with pytest.raises(InputError, match="makes no token of a text"):
        pack(tokens_of([3, 0, 2]), np.array([0, 1]), 10)


def packed_with(least, lengths):
    """Pack as on a device whose groups have at least so many tokens."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(GROUP_TOKENS, "cpu", least)
        return pack(tokens_of(lengths), np.arange(len(lengths)), 100)


@settings(deadline=None)
@given(lengths_of, st.integers(0, 300))
def test_every_token_finds_its_place_in_attention_and_back(lengths, least):
    packed = packed_with(least, lengths)
    assert len(packed.ids) == sum(lengths)
    places = pad(packed.ids[:, None], packed.padding)
    assert torch.equal(unpad(places, packed.padding)[:, 0], packed.ids)
    parts = places.split([g.places for g in packed.groups])
    for g, part in zip(packed.groups, parts, strict=True):
        laid = part.view(g.count, g.length)
        for k in range(g.count):
            number = int(packed.order[g.row + k])
            assert laid[k, : lengths[number]].tolist() == truncated(number, lengths[number], 100)
        inside = packed.lengths[g.row : g.row + g.count, None]
        beyond = torch.arange(g.length) >= inside
        hidden = torch.zeros(g.count, g.length).masked_fill(beyond, float("-inf"))
        bias = torch.zeros_like(hidden) if g.bias is None else g.bias[:, 0, 0]
        assert torch.equal(bias, hidden)


@settings(deadline=None)
@given(lengths_of)
def test_groups_lie_end_to_end_and_waste_at_most_the_slack(lengths):
    packed = pack(tokens_of(lengths), np.arange(len(lengths)), 100)
    row = 0
    for g in packed.groups:
        assert g.row == row
        row += g.count
        inside = packed.lengths[g.row : g.row + g.count]
        assert g.length == inside.max() and inside.min() >= SLACK * g.length
    assert row == len(lengths)


def test_padding_has_no_gradient():
    torch.manual_seed(0)
    padding = packed_with(1000, [2, 5, 3]).padding
    flat, places = torch.randn(10, 4, requires_grad=True), torch.randn(15, 4, requires_grad=True)
    weights = torch.randn(15, 4)
    (pad(flat, padding) * weights).sum().backward()
    real = torch.tensor([n < length for length in (5, 3, 2) for n in range(5)])  # longest first
    assert torch.equal(flat.grad, weights[real])
    (unpad(places, padding) * weights[real]).sum().backward()
    assert torch.equal(places.grad, weights * real[:, None])


@settings(deadline=None)
@given(st.lists(st.integers(1, 40), max_size=30), st.integers(0, 300))
def test_a_group_below_the_least_number_of_tokens_takes_shorter_sentences(lengths, least):
    lengths = sorted(lengths, reverse=True)
    runs = cut_groups(lengths, least=least)
    assert [i for first, last in runs for i in range(first, last)] == list(range(len(lengths)))
    for (first, last), (after, _) in pairwise(runs):
        assert (last - first) * lengths[first] >= least
        assert lengths[after] < SLACK * lengths[first]
        small = [i for i in range(first + 1, last) if lengths[i] < SLACK * lengths[first]]
        # it ended as soon as it could
        assert all((i - first) * lengths[first] < least for i in small)


@pytest.mark.parametrize(
    "lengths,slack,expected",
    [
        # 8.5, 6.8 and 4.25 are the limits
        ([10, 9, 8, 5, 5, 2], 0.85, [(0, 2), (2, 3), (3, 5), (5, 6)]),
        ([10, 9, 8, 5, 5, 2], 0.5, [(0, 5), (5, 6)]),
        ([4, 4, 4], 1.0, [(0, 3)]),
        ([7], 0.85, [(0, 1)]),
        ([], 0.85, []),
    ],
)
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
