"""Recipes: how settings become a loss function, rows, a schedule, and batches' losses."""

import copy

import numpy as np
import pytest
import torch

from semblance.data.corpus import NONE, Rows
from semblance.data.tokens import Tokens
from semblance.errors import InputError
from semblance.models.architecture import Architecture
from semblance.models.compute import autocast
from semblance.models.dropout_plan import DropoutSettings
from semblance.models.encoder import Encoder
from semblance.named_modules import LOSSES, VIEWS, module_names
from semblance.settings import decode
from semblance.training.batch import Batch, Regulators
from semblance.training.batch_loss import BatchLoss, find_loss
from semblance.training.batching import batches
from semblance.training.losses.contrastive import loss as contrastive
from semblance.training.losses.regulators import loss as regulators
from semblance.training.recipe import TrainSettings, batch_size, schedule, training_rows
from tests.example_settings import STATED, train_settings

SHAPE = Architecture(16, 1, 2, 32, 50, 40, 2, 1e-12, 0.1, 0.1, 0, 0)
ROWS = Rows(
    np.arange(0, 30, 3, dtype=np.int32),
    np.arange(1, 30, 3, dtype=np.int32),
    np.arange(2, 30, 3, dtype=np.int32),
)
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


@pytest.mark.parametrize("name", ["nobody", "../loop", "views", "__init__", "os", ""])
def test_an_unknown_loss_is_refused(name):
    known = ", ".join(module_names(LOSSES))
    with pytest.raises(InputError, match=f"loss: there is no .*; known are {known}$"):
        find_loss(name, {})


@pytest.mark.parametrize("name", ["twise", "../batch", "os", ""])
def test_an_unknown_view_is_refused(name):
    known = ", ".join(module_names(VIEWS))
    with pytest.raises(InputError, match=f"views: there is no .*; known are {known}$"):
        training_rows(ROWS, 30, settings(views=name))


def test_an_option_that_the_loss_does_not_take_is_named():
    with pytest.raises(InputError, match=r"options\.phi: unknown key; known are .*scale"):
        find_loss("contrastive", {"phi": 0.1})


def test_hard_negatives_can_be_left_out():
    assert set(training_rows(ROWS, 30, settings(hard_negatives=False)).negative) == {NONE}


TWO_NEGATIVES = ROWS._replace(negative=np.stack([ROWS.negative, ROWS.negative[::-1]], axis=1))


def test_both_hard_negatives_can_be_left_out():
    rows = training_rows(TWO_NEGATIVES, 30, settings(hard_negatives=False))
    assert rows.views() == (ROWS.query, ROWS.positive)


def test_the_batch_loss_embeds_both_hard_negatives_of_a_row(encoder, tokens):
    changed = {"no_duplicates": False, "options": {"hard_negative_weight": 3.0}}
    batch_loss = BatchLoss([encoder], tokens, TWO_NEGATIVES, settings(**changed))
    chosen = next(batches(TWO_NEGATIVES, 4, 0, no_duplicates=False))
    embedded = torch.from_numpy(encoder.encode(tokens, 8))
    queries, positives, first, second = (
        embedded[column[chosen]]
        for column in (ROWS.query, ROWS.positive, ROWS.negative, ROWS.negative[::-1])
    )
    batch = Batch(queries, positives, torch.cat([first, second]))
    expected = contrastive(batch, hard_negative_weight=3.0)
    assert batch_loss(0).item() == pytest.approx(float(expected), rel=1e-5)


def test_the_steps_are_whole_batches_an_epoch_and_are_capped():
    assert schedule(ROWS, settings()).steps == 2 * (10 // 4)
    assert schedule(ROWS, settings(max_steps=3)).steps == 3
    assert schedule(ROWS, settings(evaluate_share=0.5)).evaluate_every == 2
    assert schedule(ROWS, settings(window=0.5, least_window=1)).window == 1
    assert schedule(ROWS, settings(window=0.5)).window == 10  # the floor
    assert schedule(ROWS, settings(unit="batch")).window == 1


def test_a_corpus_smaller_than_the_batch_fills_what_it_can():
    assert batch_size(ROWS, settings(batch_size=64)) == 10


def test_the_batch_loss_is_the_loss_of_the_batchs_embeddings(encoder, tokens):
    frozen = [np.random.default_rng(i).normal(size=(30, 16)).astype(np.float16) for i in range(2)]
    batch_loss = BatchLoss([encoder], tokens, ROWS, settings(loss="regulators"), frozen)
    chosen = next(batches(ROWS, 4, 0))
    embedded = torch.from_numpy(encoder.encode(tokens, 8))
    au = [
        torch.from_numpy(np.stack([e[c[chosen]] for e in frozen]).astype(np.float32))
        for c in ROWS[:2]
    ]
    batch = Batch(*(embedded[c[chosen]] for c in ROWS))
    expected = regulators(batch, Regulators(*au))
    assert batch_loss(0).item() == pytest.approx(float(expected), rel=1e-5)


def test_bf16_is_near_fp32_and_leaves_float32_gradients(encoder, tokens):
    exact = float(BatchLoss([encoder], tokens, ROWS, settings())(0))
    loss = BatchLoss([encoder], tokens, ROWS, settings(precision="bf16"))(0)
    loss.backward()
    assert float(loss) != exact and float(loss) == pytest.approx(
        exact, rel=0.05
    )  # bf16 keeps 8 bits
    assert all(p.grad is None or p.grad.dtype == torch.float32 for p in encoder.parameters())


@pytest.mark.parametrize(
    "key, value",
    [("head", "yes"), ("unit", "windows"), ("precision", "fp8"), ("matmul", "low")],
)
def test_an_unknown_choice_is_refused(key, value):
    assert decode(TrainSettings, STATED) == TrainSettings(**STATED)
    with pytest.raises(InputError, match=f"settings.{key}"):
        decode(TrainSettings, {**STATED, key: value})


@pytest.mark.parametrize("key", STATED)
def test_a_setting_that_every_config_states_has_no_default(key):
    with pytest.raises(InputError, match=f"settings.*{key}"):
        decode(TrainSettings, {name: STATED[name] for name in STATED if name != key})


def test_the_two_views_of_a_sentence_differ_under_dropout(encoder, tokens):
    rows = training_rows(ROWS, 30, settings(views="twice"))
    noisy = BatchLoss(
        [encoder], tokens, rows, settings(views="twice", dropout=DropoutSettings(hidden=0.3))
    )
    still = BatchLoss([encoder], tokens, rows, settings(views="twice"))
    assert float(noisy(0)) > float(still(0))  # identical views are the easiest positives


@pytest.mark.parametrize(
    "loss,count,problem",
    [
        ("regulators", 0, "loss 'regulators' reads regulators, and none are given"),
        ("contrastive", 2, "loss 'contrastive' reads no regulators, 2 are given"),
    ],
)
def test_regulators_are_given_exactly_where_the_loss_reads_them(
    encoder, tokens, loss, count, problem
):
    given = [np.zeros((30, 16), np.float16) for _ in range(count)]
    with pytest.raises(InputError, match=problem):
        BatchLoss([encoder], tokens, ROWS, settings(loss=loss), given)


def test_regulators_of_another_width_than_the_model_are_refused(encoder, tokens):
    given = [np.zeros((30, width), np.float16) for width in (16, 24)]
    with pytest.raises(InputError, match="regulators: number 2 has 24 dimensions, the model 16"):
        BatchLoss([encoder], tokens, ROWS, settings(loss="regulators"), given)


def test_a_loss_cannot_be_called_without_an_option_that_it_needs():
    with pytest.raises(InputError, match="options.phi: missing key"):
        find_loss("entropy", {})


@pytest.mark.parametrize(
    "act,word",
    [
        (lambda: schedule(ROWS, settings(unit="windows")), "unit"),
        (lambda: autocast("fp8", "cpu"), "precision"),
    ],
)
def test_an_unknown_word_stops_the_place_that_acts_on_it(act, word):
    with pytest.raises(InputError, match=f"^{word}: unknown word"):
        act()


def test_with_the_same_masks_the_two_views_of_a_sentence_are_one(encoder, tokens):
    noise = DropoutSettings(hidden=0.3, attention=0.3, named={"drophead": 0.3})
    alike = settings(views="twice", same_masks=True, dropout=noise)
    batch_loss = BatchLoss([encoder], tokens, training_rows(ROWS, 30, alike), alike)
    numbers = np.stack([batch_loss._draw(0)] * 2)
    queries, positives = batch_loss._embed(tokens, numbers, torch.device("cpu"))
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
