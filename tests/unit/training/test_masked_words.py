"""Masked words: what is drawn, the loss against a float64 loop, what does not change."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from semblance.data.corpus import NONE, Rows
from semblance.data.tokens import Tokens
from semblance.data.vocabulary import Vocabulary
from semblance.errors import InputError
from semblance.models.architecture import Architecture
from semblance.models.encoder import Encoder
from semblance.models.word_head import WordHead
from semblance.settings import DropoutSettings
from semblance.training.batch_loss import BatchLoss
from semblance.training.masked_words import (
    NOT_MASKED,
    MaskedWordLoss,
    Masking,
    masked_cross_entropy,
    with_masked_words,
)
from semblance.training.settings import MaskedWords
from tests.example_settings import train_settings
from tests.unit.training.plain_step import token_states

CLS, SEP, MASK, VOCABULARY = 0, 1, 2, 80
ORDINARY = np.arange(3, VOCABULARY, dtype=np.int32)
WORDS = Vocabulary(np.zeros(VOCABULARY, dtype=bool), ORDINARY, mask=MASK)
SENTENCES, BATCH = 24, 6
PAIRS = Rows(
    *np.arange(SENTENCES, dtype=np.int32).reshape(-1, 2).T, np.full(SENTENCES // 2, NONE, np.int32)
)
MASKED = MaskedWords(weight=0.5, share=0.4)
SETTINGS = train_settings(batch_size=BATCH, max_length=12, masked_words=MASKED)
STILL = replace(SETTINGS, dropout=DropoutSettings(hidden=0.0, attention=0.0))


def corpus() -> Tokens:
    """Return sentences of 3 to 15 tokens, some longer than the limit of the settings."""
    generator = np.random.default_rng(1)
    lengths = generator.integers(3, 16, SENTENCES)
    texts = [[CLS, *generator.integers(3, VOCABULARY, n - 2), SEP] for n in lengths]
    return Tokens(np.concatenate(texts).astype(np.int32), np.cumsum([0, *map(len, texts)]))


def encoder() -> Encoder:
    torch.manual_seed(0)
    return Encoder(Architecture(16, 2, 2, 24, VOCABULARY, 40, 2, 1e-12, 0.1, 0.1, 0, 0), "mean")


def loss_of(ours, settings=SETTINGS, head=None) -> MaskedWordLoss:
    if head is None:
        torch.manual_seed(1)
        head = WordHead(ours.shape)
    return MaskedWordLoss(ours, head, corpus(), PAIRS, settings, WORDS)


def test_tokens_are_chosen_and_replaced_as_often_as_in_bert():
    masking = Masking(0.15, WORDS, seed=0)
    ids = np.asarray([CLS, *np.tile(np.arange(3, 63), 500), SEP], dtype=np.int32)
    masked, labels = masking.mask(ids, np.random.default_rng(0))
    chosen = labels != NOT_MASKED
    assert np.array_equal(labels[chosen], ids[chosen])
    assert np.array_equal(masked[~chosen], ids[~chosen])
    count = chosen.sum()
    random = chosen & (masked != MASK) & (masked != ids)
    # A random word is the word itself once in 77 times.
    same = 1 / len(WORDS.ordinary)
    expected = {
        "chosen": (count, len(ids), 0.15),
        "masked": ((masked == MASK).sum(), count, 0.8),
        "random": (random.sum(), count, 0.1 * (1 - same)),
        "kept": ((chosen & (masked == ids)).sum(), count, 0.1 + 0.1 * same),
    }
    for found, of, probability in expected.values():
        assert abs(found - of * probability) <= 5 * math.sqrt(of * probability * (1 - probability))
    assert set(np.unique(masked[random])) <= set(WORDS.ordinary.tolist())


def test_special_tokens_are_never_chosen():
    masking = Masking(1.0, WORDS, seed=0)
    ids = np.asarray([CLS, 5, MASK, 6, SEP], dtype=np.int32)
    _, labels = masking.mask(ids, np.random.default_rng(0))
    assert labels.tolist() == [NOT_MASKED, 5, NOT_MASKED, 6, NOT_MASKED]


def test_a_tokenizer_without_a_mask_is_refused():
    with pytest.raises(InputError, match=r"masked_words: the tokenizer has no token \[MASK\]"):
        Masking(0.15, WORDS._replace(mask=None), seed=0)


def masks(step=5, rows=(7, 8), numbers=((0, 2), (1, 3)), seed=3):
    """Return the labels of a batch's texts of 32 tokens, by view and row."""
    texts = Tokens(np.arange(4 * 32, dtype=np.int32) % 60 + 10, np.arange(5) * 32)
    found = Masking(0.5, WORDS, seed).apply(texts, np.asarray(numbers), step, np.asarray(rows))
    return found[1].ids.reshape(*np.shape(numbers), 32).tolist()


def test_masks_depend_on_seed_step_row_and_view_and_on_nothing_else():
    first = masks()
    assert masks(rows=(8,), numbers=((2,), (3,))) == [[first[0][1]], [first[1][1]]]
    others = [masks(step=6), masks(seed=4), masks(rows=(9, 8))]
    assert all(other[0][0] != first[0][0] for other in others)


def test_the_draws_of_masks_are_none_of_those_that_change_texts():
    """A view draws from [seed, step, row]; numpy takes [seed, step, row, 0] for the same."""
    of_view = np.random.Generator(np.random.PCG64([3, 5, 7])).random(4)
    assert np.array_equal(of_view, np.random.Generator(np.random.PCG64([3, 5, 7, 0])).random(4))
    seen = []

    def mask(ids, draw):
        seen.append(draw.random(4))
        return ids, ids

    masking = Masking(0.5, WORDS, seed=3)
    masking.mask = mask
    masking.apply(corpus(), np.asarray([[0], [1], [2]]), 5, np.asarray([7]))
    every = [of_view, *seen]
    assert len({draws.tobytes() for draws in every}) == len(every) == 4


def by_hand(ours, head, step: int, settings=SETTINGS) -> float:
    """Return the loss without dropout: one text after another, in float64."""
    texts = corpus()
    rows = BatchLoss([ours], texts, PAIRS, settings)._draw(step)
    masking = Masking(settings.masked_words.share, WORDS, settings.seed)
    losses = []
    for view, column in enumerate((PAIRS.query, PAIRS.positive)):
        for row in rows:
            ids = texts.part(column[row], column[row] + 1).ids
            draw = np.random.Generator(np.random.PCG64([settings.seed, step, row, 1 + view]))
            masked, labels = masking.mask(ids, draw)
            kept = min(len(ids), settings.max_length)
            places = [*range(kept - 1), len(ids) - 1]  # a text that is cut keeps its last token
            states = token_states(ours, [masked[places].tolist()], [{}])[0][0]
            for place, state in zip(places, states, strict=True):
                if labels[place] != NOT_MASKED:
                    losses.append(-math.log(probability(ours, head, state, labels[place])))
    return sum(losses) / len(losses)


def gelu(x):
    return x * (1 + torch.erf(x / math.sqrt(2))) / 2


def probability(ours, head, state, word) -> float:
    """Return the softmax of the head's scores at one word."""
    inner = gelu(head.dense.weight @ state + head.dense.bias)
    spread = (inner - inner.mean()) / torch.sqrt(inner.var(unbiased=False) + head.norm.eps)
    scores = ours.words.weight @ (spread * head.norm.weight + head.norm.bias) + head.bias
    powers = [math.exp(score) for score in scores.tolist()]
    return powers[word] / sum(powers)


def test_the_loss_is_the_mean_over_the_masked_places_alone():
    ours = encoder().double()
    loss = loss_of(ours, STILL)
    loss.head.double()
    with torch.no_grad():
        torch.nn.init.normal_(loss.head.bias)
        for step in (0, 1):
            expected = by_hand(ours, loss.head, step, STILL)
            assert float(loss(step)) == pytest.approx(expected, abs=1e-6)


def test_the_gradient_of_the_loss_is_that_of_finite_differences():
    shape = SimpleNamespace(hidden_size=4, layer_norm_eps=1e-5, vocab_size=7)
    torch.manual_seed(0)
    head = WordHead(shape).double()
    torch.nn.init.normal_(head.dense.weight)
    states, words = torch.randn(3, 4).double(), torch.randn(7, 4).double()
    labels = torch.tensor([6, 0, 2])
    inputs = (states.requires_grad_(), words.requires_grad_(), *head.parameters())

    def loss(states, words, *_):
        return masked_cross_entropy(head(states, words), labels)

    assert torch.autograd.gradcheck(loss, inputs)


def test_a_batch_without_a_masked_place_has_no_loss_and_no_gradient():
    ours = encoder()
    value = loss_of(ours, replace(SETTINGS, masked_words=MaskedWords(1.0, share=1e-12)))(0)
    value.backward()
    assert float(value.detach()) == 0.0
    assert all(p.grad is None or not p.grad.any() for p in ours.parameters())


def test_the_two_losses_add_up():
    ours = encoder()
    both = with_masked_words(BatchLoss([ours], corpus(), PAIRS, STILL), loss_of(ours, STILL), 0.5)
    for step in (0, 2):
        alone = BatchLoss([ours], corpus(), PAIRS, STILL)(step)
        assert torch.equal(both(step), alone + 0.5 * loss_of(ours, STILL)(step))


def test_the_other_loss_draws_the_same_dropout_with_masked_words_as_without():
    ours = encoder()
    torch.manual_seed(7)  # after the drawing of the head
    alone = BatchLoss([ours], corpus(), PAIRS, SETTINGS)(0)
    seen = []
    other = BatchLoss([ours], corpus(), PAIRS, SETTINGS)

    def noted(step):
        seen.append(other(step))
        return seen[-1]

    masked = loss_of(ours)
    torch.manual_seed(7)
    with_masked_words(noted, masked, 1.0)(0)
    assert torch.equal(seen[0], alone)
