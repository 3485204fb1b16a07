"""The packed step is the plain padded one: same loss, same gradients, with dropout replayed.

The plain one (``plain_step``) runs in float64 for the truth, and in the step's own precision for
the error to expect.
"""

import copy

import numpy as np
import pytest
import torch

from semblance.data.corpus import NONE, Rows
from semblance.data.tokens import Tokens
from semblance.models import packing
from semblance.models.architecture import Architecture
from semblance.models.compute import autocast
from semblance.models.encoder import Encoder
from semblance.models.packing import GROUP_TOKENS
from semblance.settings import DropoutSettings, decode
from semblance.training.batch import Batch, Regulators
from semblance.training.batch_loss import BatchLoss, find_loss
from semblance.training.batching import batches
from semblance.training.recipe import TrainSettings
from tests.example_settings import train_settings
from tests.unit.training.plain_step import Replay, embeddings

SENTENCES, BATCH, LIMIT = 90, 12, 20
# tests/reliability/test_gpu.py says aloud where there is no GPU
DEVICES = ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]
TRIPLES = Rows(*(np.arange(k, SENTENCES, 3, dtype=np.int32) for k in range(3)))
PAIRS = TRIPLES._replace(negative=np.full(SENTENCES // 3, NONE, np.int32))
TWICE = Rows(*(np.arange(SENTENCES, dtype=np.int32),) * 2, np.full(SENTENCES, NONE, np.int32))
THRICE = Rows(*(np.arange(SENTENCES, dtype=np.int32),) * 3)
TEN = {"scale": 10.0, "student_scale": 10.0}  # of cosines in a loss of two terms: 20 together
ALL = {"regulator_candidates": "all", "regulator_scale": 1.0}
STILL = {"hidden": 0.0, "attention": 0.0}


def sampled(**options):
    """Return settings of dropout under which no operation has a rate of almost 0."""
    return {"sampled": {"low": 0.05, **options}}


EVERYWHERE = sampled(granularity="row", layers="hidden+attention")
# what trains, on which rows, with which dropout
CASES = {
    "without dropout": ("contrastive", {}, TRIPLES, STILL),
    "unsupervised": ("contrastive", {}, TWICE, {}),
    "NLI triples": ("contrastive", {}, TRIPLES, {}),
    "question and answer": ("contrastive", {}, PAIRS, {}),
    "attention dropout": ("contrastive", {}, TRIPLES, {"attention": 0.3}),
    "DropHead": ("contrastive", {}, TRIPLES, {"attention": 0.0, "drophead": 0.4}),
    "DropHead alone": ("contrastive", {}, TRIPLES, {**STILL, "drophead": 0.4}),
    "sampled rates": ("contrastive", {}, TWICE, sampled()),
    "sentence-wise rates": ("contrastive", {}, TWICE, sampled(granularity="row")),
    "one rate for all": ("contrastive", {}, TWICE, sampled(granularity="shared")),
    "sampled everywhere": ("contrastive", {}, TWICE, EVERYWHERE),
    "beta rates": ("contrastive", {}, TWICE, {"sampled": {"distribution": "beta"}}),
    "entropy model": ("entropy", {"phi": 0.02}, TRIPLES, {}),
    "RCL": ("regulators", {}, TRIPLES, {"attention": 0.1}),
    "RCL, all tuples": ("regulators", ALL, TRIPLES, {"attention": 0.1}),
    "DistillCSE": ("distilled", TEN | {"interval": 0.0}, TWICE, {}),
    "SimCSE++": ("off_dropout", {}, THRICE, {"off_last": {}}),
}
# The plain step cannot replay what the last one draws.
ALL_CASES = CASES | {"DistillCSE, shuffled": ("distilled", {}, TWICE, {})}
# (position offset, padding id), pooling, head, normalise
MODELS = {
    "bert, mean": ((0, 0), "mean", "none", False),
    "bert, cls and head": ((0, 0), "cls", "train", False),
    "roberta, mean, unit length": ((2, 1), "mean", "none", True),
}


def settings_of(case: str, precision: str) -> TrainSettings:
    """Return the settings of one case's training."""
    loss, options, _, dropout = ALL_CASES[case]
    sizes = {"batch_size": BATCH, "max_length": LIMIT}
    dropouts = decode(DropoutSettings, dropout, "dropout")
    changed = {"dropout": dropouts, "precision": precision}
    return train_settings(loss=loss, options=options, **sizes, **changed)


def regulators_of(case: str) -> list[np.ndarray]:
    """Return the frozen embeddings of four regulators for the loss that reads them."""
    if ALL_CASES[case][0] not in ("regulators", "distilled"):
        return []
    draws = map(np.random.default_rng, range(4))
    return [draw.normal(size=(SENTENCES, 32)).astype(np.float16) for draw in draws]


def encoder(model: str) -> Encoder:
    """Return a small encoder with weights large enough for attention to choose."""
    (offset, pad), pooling, head, normalise = MODELS[model]
    torch.manual_seed(0)
    shape = Architecture(32, 3, 4, 64, 80, 40, 2, 1e-12, 0.1, 0.1, pad, offset)
    made = Encoder(shape, pooling, head, normalise)
    with torch.no_grad():
        for layer in made.layers:
            layer.qkv.weight.mul_(3.0)
    return made


def corpus() -> Tokens:
    """Return sentences of 3 to 26 tokens: some of one length, some longer than the limit."""
    lengths = np.random.default_rng(1).integers(3, 27, SENTENCES)
    offsets = np.cumsum([0, *lengths])
    return Tokens(np.random.default_rng(2).integers(2, 80, offsets[-1]).astype(np.int32), offsets)


def plain(
    weights: Encoder, case: str, factors, frozen, precision: str
) -> tuple[float, dict[str, torch.Tensor]]:
    """Return the loss of the first batch and every gradient, by the padded loop."""
    loss, options, rows, _ = CASES[case]
    chosen = next(batches(rows, BATCH, 0))
    columns, device = [column[chosen] for column in rows.views()], weights.words.weight.device
    with autocast(precision, device.type):
        found = list(embeddings(weights, corpus(), columns, LIMIT, factors))
    found = [e.float() if weights.words.weight.dtype == torch.float32 else e for e in found]
    regulators = []
    if frozen:
        of_all = options is ALL
        read = rows.views()[:2] if of_all else columns[:2]
        stacked = [np.stack([e[column] for e in frozen]) for column in read]
        own = torch.from_numpy(chosen).to(device) if of_all else None
        regulators = [Regulators(*(torch.from_numpy(e).to(found[0]) for e in stacked), own)]
    value = find_loss(loss, options)(Batch(*found), *regulators, **options)
    value.backward()
    return value.item(), {name: p.grad.double() for name, p in weights.named_parameters()}


FINE, COARSE, ONE = 0, 100, 10_000  # tokens of a group at least: as a CPU cuts them, as a GPU does
FILLED = -1  # two groups, with sentences that fill the batch up


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "model, precision, least",
    [
        *((model, "fp32", FINE) for model in MODELS),
        ("bert, mean", "bf16", FINE),
        ("bert, mean", "fp32", COARSE),
        ("bert, mean", "bf16", COARSE),
        ("bert, cls and head", "fp32", ONE),
        *((model, "fp32", FILLED) for model in MODELS),
        ("bert, mean", "bf16", FILLED),
    ],
)
@pytest.mark.parametrize("case", CASES)
def test_a_packed_step_has_the_loss_and_gradients_of_the_padded_one(
    monkeypatch, case, model, precision, least, device
):
    monkeypatch.setitem(GROUP_TOKENS, device, least)
    monkeypatch.setattr(BatchLoss, "fills", least == FILLED)
    monkeypatch.setattr(packing, "PLACES", 3)  # so that sentences of at most 20 tokens are unlike
    _, _, rows, dropout = CASES[case]
    frozen = regulators_of(case)
    replay, ours = Replay(monkeypatch), encoder(model).to(device)
    truth, same = copy.deepcopy(ours).double(), copy.deepcopy(ours)
    settings = settings_of(case, precision)
    value = BatchLoss([ours], corpus(), rows, settings, frozen)(0)
    value.backward()
    monkeypatch.undo()
    groups = replay.packed.groups
    assert len(groups) == {ONE: 1, FILLED: 2}[least] if least in (ONE, FILLED) else len(groups) > 2
    assert any(group.bias is not None for group in groups)

    hidden = dropout.get("hidden") != 0.0
    attention = dropout.get("attention") != 0.0
    factors = replay.by_sentence(hidden, attention, len(ours.layers))
    true_value, true_grads = plain(truth, case, factors, frozen, "fp32")
    same_value, same_grads = plain(same, case, factors, frozen, precision)
    # float32 has 24 bits, bfloat16 8. How far the plain step strays is chance, too: hence 3 times,
    # and a rounding besides: of the cosines, which the loss multiplies by 20, and of the loss itself
    # (a gradient's: two). RCL adds two terms of each regulator, whose roundings are independent.
    unit = {"fp32": 2.0**-24, "bf16": 2.0**-8}[precision]
    terms = 1 + 2 * len(frozen) * (ALL_CASES[case][0] == "regulators")
    of_cosines = 20 * terms**0.5
    allowed = 3 * abs(same_value - true_value) + (of_cosines + abs(true_value)) * unit
    assert abs(value.item() - true_value) <= allowed
    for name, parameter in ours.named_parameters():
        strayed = (parameter.grad.double() - true_grads[name]).norm()
        expected = (same_grads[name] - true_grads[name]).norm()
        size = true_grads[name].norm()
        assert size > 0  # there is a gradient to be wrong about
        assert strayed <= 3 * expected + 2 * unit * size, (name, strayed / size, expected / size)


@pytest.mark.parametrize("least", [FINE, COARSE])
@pytest.mark.parametrize("case", ALL_CASES)
def test_a_step_stays_on_its_device_and_reads_no_number_from_it(monkeypatch, case, least):
    """A device without numbers, in a GPU's place, refuses both; copies it does not see."""
    monkeypatch.setitem(GROUP_TOKENS, "meta", least)
    ours = encoder("bert, mean").to("meta")
    rows, settings = ALL_CASES[case][2], settings_of(case, "fp32")
    value = BatchLoss([ours], corpus(), rows, settings, regulators_of(case))(0)
    value.backward()
    torch.nn.utils.clip_grad_norm_(ours.parameters(), 1.0)
    assert value.is_meta and all(p.grad.is_meta for p in ours.parameters())
