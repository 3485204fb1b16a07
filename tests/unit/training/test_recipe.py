"""Recipes: how settings become a loss function, rows, a schedule, and batches' losses."""

import copy

import numpy as np
import pytest
import torch

from semblance.data.corpus import NONE, Rows
from semblance.data.tokens import Tokens
from semblance.errors import InputError
from semblance.models.architecture import Architecture
from semblance.models.encoder import Encoder
from semblance.settings import DropoutSettings
from semblance.training.batch import Batch, batch_of
from semblance.training.batch_loss import BatchLoss
from semblance.training.batching import batches
from semblance.training.losses.contrastive import loss as contrastive
from semblance.training.recipe import TrainSettings, batch_size, schedule, training_rows
from tests.example_settings import train_settings

SHAPE = Architecture(16, 1, 2, 32, 50, 40, 2, 1e-12, 0.1, 0.1, 0, 0)
ROWS = Rows(*np.arange(30, dtype=np.int32).reshape(10, 3).T)
SILENT = DropoutSettings(hidden=0.0, attention=0.0)


def settings(**changed) -> TrainSettings:
    """Return small settings."""
    return train_settings(**{"epochs": 2, "max_length": 8, "dropout": SILENT, **changed})


@pytest.fixture
def tokens() -> Tokens:
    """Thirty sentences of 3 to 9 tokens."""
    lengths = 3 + np.arange(30) % 7
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return Tokens(np.random.default_rng(0).integers(1, 50, offsets[-1]).astype(np.int32), offsets)


@pytest.fixture
def encoder() -> Encoder:
    """A tiny encoder with fixed weights."""
    torch.manual_seed(0)
    return Encoder(SHAPE, "mean")


TWO_NEGATIVES = ROWS._replace(negative=np.stack([ROWS.negative, ROWS.negative[::-1]], axis=1))


@pytest.mark.parametrize("rows", [ROWS, TWO_NEGATIVES])
def test_hard_negatives_can_be_left_out(rows):
    found = training_rows(rows, 30, settings(hard_negatives=False))
    assert (found.negative == NONE).all()
    assert found.views() == (ROWS.query, ROWS.positive)


def test_the_batch_loss_embeds_both_hard_negatives_of_a_row(encoder, tokens):
    changed = {"no_duplicates": False, "options": {"hard_negative_weight": 3.0}}
    batch_loss = BatchLoss([encoder], tokens, TWO_NEGATIVES, settings(**changed))
    chosen = next(batches(TWO_NEGATIVES, 4, 0, no_duplicates=False))
    embedded = torch.from_numpy(encoder.encode(tokens, 8))
    batch = batch_of([embedded[column[chosen]] for column in (*ROWS, ROWS.negative[::-1])])
    expected = contrastive(batch, hard_negative_weight=3.0)
    assert batch_loss(0).item() == pytest.approx(float(expected), rel=1e-5)


def test_the_steps_are_whole_batches_an_epoch_and_are_capped():
    assert schedule(ROWS, settings()).steps == 2 * (10 // 4)
    assert schedule(ROWS, settings(max_steps=3)).steps == 3
    assert schedule(ROWS, settings(evaluate_share=0.5)).evaluate_every == 2
    assert schedule(ROWS, settings(window=0.5, least_window=1)).window == 2  # of four steps
    assert schedule(ROWS, settings(window=0.5)).window == 10  # the floor
    assert schedule(ROWS, settings(unit="batch")).window == 1


def test_a_corpus_smaller_than_the_batch_fills_what_it_can():
    assert batch_size(ROWS, settings(batch_size=64)) == 10


@pytest.mark.parametrize(
    "loss, widths, problem",
    [
        ("regulators", [], "loss 'regulators' reads regulators, and none are given"),
        ("contrastive", [16, 16], "loss 'contrastive' reads no regulators, 2 are given"),
        ("regulators", [16, 24], "regulators: have vectors of 16 and 24 numbers"),
    ],
)
def test_regulators_of_one_width_are_given_exactly_where_the_loss_reads_them(
    encoder, tokens, loss, widths, problem
):
    given = [np.zeros((30, width), np.float16) for width in widths]
    with pytest.raises(InputError, match=problem):
        BatchLoss([encoder], tokens, ROWS, settings(loss=loss), given)


def test_with_the_same_masks_the_two_views_of_a_sentence_are_one(encoder, tokens):
    noise = DropoutSettings(hidden=0.3, attention=0.3, named={"drophead": 0.3})
    alike = settings(views="twice", same_masks=True, dropout=noise)
    batch_loss = BatchLoss([encoder], tokens, training_rows(ROWS, 30, alike), alike)
    numbers = np.stack([batch_loss._draw(0)] * 2)
    queries, positives = batch_loss._embed(list(batch_loss._passes(tokens, numbers)))
    assert torch.equal(queries, positives)
    still = torch.from_numpy(encoder.encode(tokens, 8))[numbers[0]]
    assert not torch.isclose(queries, still).all()  # there is dropout


def test_the_same_masks_are_refused_for_views_with_different_texts(encoder, tokens):
    batch_loss = BatchLoss([encoder], tokens, ROWS, settings(same_masks=True))
    with pytest.raises(InputError, match="same_masks: the views of a row have different texts"):
        batch_loss(0)


def test_of_two_encoders_the_first_embeds_the_queries_and_the_second_all_else(encoder, tokens):
    second = copy.deepcopy(encoder)
    with torch.no_grad():
        second.words.weight.mul_(1.5)
    batch_loss = BatchLoss([encoder, second], tokens, ROWS, settings(encoders=2))
    chosen = next(batches(ROWS, 4, 0))
    of_first = torch.from_numpy(encoder.encode(tokens, 8))
    of_second = torch.from_numpy(second.encode(tokens, 8))
    columns = [column[chosen] for column in ROWS]
    batch = Batch(of_first[columns[0]], of_second[columns[1]], of_second[columns[2]])
    assert batch_loss(0).item() == pytest.approx(float(contrastive(batch)), rel=1e-5)
