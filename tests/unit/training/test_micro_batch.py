"""A batch that is embedded piece by piece has the loss and the gradients of the whole batch."""

from dataclasses import replace

import pytest
import torch

from semblance.errors import InputError
from semblance.settings import DropoutSettings, decode
from semblance.training.batch_loss import BatchLoss
from tests.example_settings import train_settings
from tests.unit.training.test_fast_path import (
    BATCH,
    CASES,
    DEVICES,
    corpus,
    encoder,
    regulators_of,
    sampled,
    settings_of,
)

PIECE = 5  # of 12 rows: two whole pieces and a smaller one


def batch_loss(case: str, device: str, micro: int | None) -> BatchLoss:
    """Return the loss of a case, from the same weights each time."""
    settings = replace(settings_of(case, "fp32"), micro_batch=micro)
    model = encoder("bert, mean").to(device).train()
    return BatchLoss([model], corpus(), CASES[case][2], settings, regulators_of(case))


def step(loss: BatchLoss) -> tuple[float, list[torch.Tensor]]:
    """Return the loss of the first batch, and the gradients that it leaves."""
    torch.manual_seed(7)
    value = loss(0)
    value.backward()
    gradients = [weight.grad for weight in loss.encoders[0].parameters()]
    return float(value.detach()), [gradient for gradient in gradients if gradient is not None]


def assert_same(found, expected):
    assert found[0] == pytest.approx(expected[0], rel=1e-5)
    assert len(found[1]) == len(expected[1]) > 20
    largest = max(float(gradient.abs().max()) for gradient in expected[1])
    for ours, theirs in zip(found[1], expected[1], strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5 * largest)


@pytest.mark.parametrize("device", DEVICES)
def test_without_dropout_the_pieces_change_nothing_but_the_order_of_sums(device):
    whole = step(batch_loss("without dropout", device, None))
    for micro in (1, PIECE, BATCH):
        assert_same(step(batch_loss("without dropout", device, micro)), whole)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "case", ["unsupervised", "NLI triples", "DropHead", "entropy model", "RCL"]
)
def test_each_piece_replays_its_dropout(case, device, monkeypatch):
    """The reference embeds the same pieces with one graph over all of them."""
    found = step(batch_loss(case, device, PIECE))
    plain = batch_loss(case, device, PIECE)

    def at_once(inputs):
        parts = map(plain._embed, inputs.pieces)
        views = [torch.cat(views) for views in zip(*parts, strict=True)]
        return plain._compare(views, inputs.regulators)

    monkeypatch.setattr(plain, "_by_pieces", at_once)
    assert_same(found, step(plain))


def test_never_more_than_a_piece_has_a_graph():
    def kept(micro) -> int:
        """Return the most bytes that a graph keeps at once for its backward."""
        sizes = {"now": 0, "most": 0}

        class Kept:
            def __init__(self, tensor):
                self.tensor = tensor
                sizes["now"] += tensor.nbytes
                sizes["most"] = max(sizes.values())

            def __del__(self):
                sizes["now"] -= self.tensor.nbytes

        with torch.autograd.graph.saved_tensors_hooks(Kept, lambda kept: kept.tensor):
            step(batch_loss("NLI triples", "cpu", micro))
        return sizes["most"]

    assert kept(3) < 0.5 * kept(None)


def test_a_loss_that_reads_some_views_and_draws_numbers_of_its_own_is_embedded_in_pieces():
    def loss_of_pairs(batch) -> torch.Tensor:
        drawn.append(torch.rand(3))
        return (batch.queries * batch.positives).sum()

    drawn = []
    loss = batch_loss("NLI triples", "cpu", PIECE)
    loss.loss = loss_of_pairs
    step(loss)
    assert not torch.equal(drawn[0], torch.rand(3))  # the step after it draws on


def test_rates_that_sentences_share_are_refused():
    dropout = decode(DropoutSettings, sampled(), "dropout")
    settings = train_settings(micro_batch=2, dropout=dropout)
    with pytest.raises(InputError, match="micro_batch: .* share the rates of dropout 'sampled'"):
        BatchLoss([encoder("bert, mean")], corpus(), CASES["unsupervised"][2], settings)
