"""A step that a GPU records and repeats: few shapes, and the bits of one that is not recorded."""

import copy
import dataclasses
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from semblance.models import packing
from semblance.models.optimiser import AdamW
from semblance.models.packing import PLACES, PORTION, pack
from semblance.training.batch_loss import BatchLoss
from semblance.training.update import RecordedUpdate, Update, tensors_of, updating
from tests.unit.models.test_packing import tokens_of
from tests.unit.training.test_fast_path import (
    CASES,
    corpus,
    encoder,
    regulators_of,
    settings_of,
)

on_a_gpu = pytest.mark.skipif(
    not torch.cuda.is_available(), reason="no GPU: recorded steps NOT tested"
)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("rows, limit", [(2, 5), (128, 32), (192, 75), (1024, 32)])
def test_a_batch_is_filled_up_to_whole_portions(rows, limit, seed):
    lengths = np.random.default_rng(seed).integers(2, limit + 1, rows)
    tokens = tokens_of(lengths)
    packed = pack(tokens, np.arange(rows), limit, filled=True)
    plain = pack(tokens, np.arange(rows), limit)
    filled = len(packed.ids) - lengths.sum()
    assert len(packed.ids) % PORTION == 0
    assert 0 < filled <= max(2 * PORTION, lengths.sum() / 8 + PORTION)
    assert sum(group.count for group in packed.groups) == len(packed.order)
    assert packed.lengths.min() >= 1
    for group in packed.groups:
        assert packed.lengths[group.rows()].max() <= group.length and group.length % PLACES == 0
    # what was there before comes first, as it was
    for name in ("ids", "positions", "rows", "lengths", "starts", "order"):
        found, expected = getattr(packed, name), getattr(plain, name)
        assert torch.equal(found[: len(expected)], expected)
    assert sorted(packed.order.tolist()) == list(range(len(packed.order)))


def uniform(rng):
    """192 sentences of 2 to 32 tokens, as many of each."""
    return rng.integers(2, 33, 192)


def skewed(rng):
    """192 sentences of which most are short and some have 75 tokens, as those of NLI."""
    return np.minimum(rng.lognormal(2.6, 0.5, 192), 75).astype(int) + 2


@pytest.mark.parametrize("draw, limit, most", [(uniform, 32, 4), (skewed, 75, 12)])
def test_batches_of_alike_sentences_have_few_shapes(draw, limit, most):
    """The sums of the tokens of 200 batches differ, what a GPU reads of them hardly does."""
    rng = np.random.default_rng(0)
    batches = [draw(rng) for _ in range(200)]
    packed = [pack(tokens_of(b), np.arange(192), limit, filled=True) for b in batches]
    assert len({int(lengths.sum()) for lengths in batches}) > 100
    shapes = {tuple(tensor.shape for tensor in tensors_of(each)) for each in packed}
    assert len(shapes) <= most
    assert all(len(each.groups) <= 2 for each in packed)


def test_on_a_cpu_and_for_other_losses_nothing_is_recorded():
    model = encoder("bert, mean")
    loss = BatchLoss([model], corpus(), CASES["NLI triples"][2], settings_of("NLI triples", "fp32"))
    for each in (loss, lambda step: loss(step)):
        assert type(updating(model, AdamW(model, 0.01), each, 1.0)) is Update


@pytest.mark.parametrize("loss, repeats", [("contrastive", True), ("own", False)])
def test_a_loss_of_a_users_own_file_is_called_at_each_step(loss, repeats):
    settings = dataclasses.replace(settings_of("NLI triples", "fp32"), loss=loss)
    short = SimpleNamespace(fills=True, settings=settings)
    assert BatchLoss.repeats.fget(short) is repeats


def test_a_wait_is_noted_once_and_other_warnings_are_passed_on(capsys):
    update = RecordedUpdate.__new__(RecordedUpdate)
    update.waits = False
    with warnings.catch_warnings(record=True) as found:
        for text in ("Synchronization debug mode is a prototype", "a loss that is not a number"):
            warnings.warn(text, stacklevel=2)
    with pytest.warns(UserWarning, match="a loss that is not a number") as passed:
        update._note(found)
    assert len(passed) == 1 and not update.waits and not capsys.readouterr().err
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        for _ in range(2):
            warnings.warn("called a synchronizing CUDA operation (Triggered ...)", stacklevel=2)
    update._note(found)
    assert update.waits and capsys.readouterr().err.count("reads numbers from the GPU") == 1


class Unrecorded(RecordedUpdate):
    """Makes every update as it is."""

    def _update(self, inputs):
        return self._apply(self.step_loss.compute(inputs), self.rate)


@pytest.fixture
def deterministic(monkeypatch):
    """Let a GPU add up in one order, as in a training."""
    monkeypatch.setattr(torch.utils.deterministic, "fill_uninitialized_memory", False)
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)


def trained(kind, case: str, precision: str, steps: int = 8, compare=None):
    """Return losses, weights, the generator's state and the update after some steps on a GPU."""
    model = copy.deepcopy(encoder("bert, mean")).cuda().train()
    rows, settings = CASES[case][2], settings_of(case, precision)
    loss = BatchLoss([model], corpus(), rows, settings, regulators_of(case))
    loss.loss = compare or loss.loss
    torch.manual_seed(3)
    update = kind(model, AdamW(model, 0.01), loss, 1.0)
    losses = [update(step, 1e-3 / (step + 1)) for step in range(steps)]
    return losses, model.state_dict(), torch.cuda.get_rng_state(), update


@on_a_gpu
@pytest.mark.parametrize("places", [PLACES, 3], ids=["one group", "two groups"])
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.usefixtures("deterministic")
def test_a_recorded_step_has_the_bits_of_one_that_is_not(case, precision, places, monkeypatch):
    monkeypatch.setattr(packing, "PLACES", places)
    losses, weights, state, update = trained(RecordedUpdate, case, precision)
    expected, others, after, _ = trained(Unrecorded, case, precision)
    assert any(update.recorded.values())
    assert losses == expected and torch.equal(state, after)
    for name, value in weights.items():
        assert torch.equal(value, others[name]), name


@on_a_gpu
@pytest.mark.usefixtures("deterministic")
def test_a_loss_that_reads_a_number_from_the_gpu_is_not_recorded(capfd):
    def reading(batch):
        shares = (batch.queries * batch.positives).sum(dim=1)
        return shares.mean() * (1.0 if shares[0].item() < 0 else 0.5)

    losses, _, _, update = trained(RecordedUpdate, "NLI triples", "fp32", compare=reading)
    expected = trained(Unrecorded, "NLI triples", "fp32", compare=reading)[0]
    assert losses == expected and not any(update.recorded.values())
    assert capfd.readouterr().err.count("reads numbers from the GPU") == 1
