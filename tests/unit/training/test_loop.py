"""The training loop: learning rate, optimiser, early stopping, the choice of weights, failures."""

import math

import pytest
import torch
from torch import nn

from semblance.models.optimiser import AdamW
from semblance.training.loop import Schedule, TrainingFailed, fit, learning_rate, summary


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


def losses(model, values):
    """A step loss with the given values and a gradient of one for each weight."""

    def step_loss(step):
        total = sum(p.sum() for p in model.parameters())
        return total - total.detach() + values[step]

    return step_loss


def fitted(values, evaluate=None, rate=1e-3, log=lambda event: None, **schedule):
    """Train a model of three weights on losses of these values; return it and its progress."""
    torch.manual_seed(0)
    model = nn.Linear(2, 1)
    plan = Schedule(len(values), rate, **schedule)
    return model, fit(model, losses(model, values), plan, evaluate, log)


@pytest.mark.parametrize(
    "steps, warmup, shares",
    [
        (4, 0.25, [1, 1, 2 / 3, 1 / 3]),
        (4, 0.5, [1 / 2, 1, 1, 1 / 2]),
        (4, 0.3, [1 / 2, 1, 1, 1 / 2]),  # the steps of the warm-up are rounded up
        (4, 0.0, [1, 3 / 4, 1 / 2, 1 / 4]),
        (3, 1.0, [1 / 3, 2 / 3, 1]),
        (1, 0.1, [1]),
    ],
)
def test_the_learning_rate_rises_to_its_peak_and_falls_to_zero(steps, warmup, shares):
    seen = []
    plan = Schedule(steps, 2e-5, warmup)
    assert learning_rate(steps, plan) == 0.0
    fitted([1.0] * steps, rate=2e-5, warmup=warmup, log=seen.append)
    assert [event["learning_rate"] for event in seen] == pytest.approx([2e-5 * s for s in shares])
    assert [event["step"] for event in seen] == list(range(1, steps + 1))


def test_gradients_are_clipped_to_a_common_norm(monkeypatch):
    model, norms, original = nn.Linear(3, 1), [], AdamW.step

    def step(self, rate):
        norms.append(math.sqrt(sum(float((p.grad**2).sum()) for p in model.parameters())))
        original(self, rate)

    monkeypatch.setattr(AdamW, "step", step)
    fit(model, losses(model, [1.0]), Schedule(1, 0.01, clip=0.5))
    assert norms == [pytest.approx(0.5, rel=1e-3)]  # the four gradients of one have norm 2


class Named(nn.Module):
    """A model of weights that decay, of others that do not, and of one that is not trained."""

    def __init__(self):
        super().__init__()
        self.words, self.norm1, self.up = nn.Embedding(3, 2), nn.LayerNorm(2), nn.Linear(2, 2)
        self.up.bias.requires_grad_(False)
        for p in self.parameters():
            p.grad = torch.zeros_like(p)  # without a gradient only the decay moves a weight


def test_the_optimiser_is_torchs_fused_adamw_bit_for_bit():
    ours, theirs = Named(), Named()
    theirs.load_state_dict(ours.state_dict())
    decayed, plain = [theirs.words.weight, theirs.up.weight], list(theirs.norm1.parameters())
    adam = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": 0.04}, {"params": plain, "weight_decay": 0.0}],
        fused=True,
    )
    mine = AdamW(ours, weight_decay=0.04)
    for step in range(5):
        rate, x = 0.1 / (step + 1), torch.randn(4, 2)
        for model in (ours, theirs):
            (model.up(model.norm1(model.words.weight[[0, 1, 2, 0]] + x)) ** 2).sum().backward()
        mine.step(rate)
        for group in adam.param_groups:
            group["lr"] = rate
        adam.step()
        mine.zero_grad(), adam.zero_grad()
    assert all(map(torch.equal, ours.parameters(), theirs.parameters()))


@pytest.mark.parametrize(
    "values, window, patience, windows, step",
    [
        # the fourth window is not lower than the second: three since the lowest
        ([5, 5, 4, 2, 4, 4, 3, 3, 3, 4, 1, 1, 1, 1], 2, 3, [5, 3, 4, 3, 3.5], 10),
        ([3, 2, 2.5, 2.2, 2.1, 1], 1, 3, [3, 2, 2.5, 2.2, 2.1], 5),  # a window of one batch
        ([4, 3, 2, 1], 1, 1, [4, 3, 2, 1], 4),  # a falling loss is never stopped
        ([1, 2, 3, 4], 1, None, [], 4),  # without patience no loss is
    ],
)
def test_training_stops_when_no_window_is_a_new_lowest(values, window, patience, windows, step):
    _, progress = fitted([float(v) for v in values], window=window, patience=patience)
    assert progress.windows == pytest.approx(windows) and progress.step == step
    reason = f"the loss did not fall for {patience} windows of {window} steps"
    assert progress.stopped == (reason if step < len(values) else "")


@pytest.mark.parametrize("length, kept", [(3, 2), (10, 4), (14, 4)])
def test_early_stopping_keeps_the_weights_of_the_best_window(length, kept):
    """Windows of two steps with means 4, 2, 3, 3, 3: the training ends after the fifth."""
    values = [4.0, 4.0, 2.0, 2.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0, 1.0, 1.0, 1.0, 1.0][:length]
    weights = {}
    torch.manual_seed(0)
    model = nn.Linear(2, 1)

    def step_loss(step):
        weights[step] = model.weight.detach().clone()
        return losses(model, values)(step)

    progress = fit(model, step_loss, Schedule(length, 1e-3, window=2, patience=3))
    assert progress.best_step == kept and summary(progress)["best"] is None
    assert torch.equal(model.weight, weights[kept])  # those before the next step


def test_early_stopping_evaluates_where_it_stops():
    _, progress = fitted([1.0, 2.0, 3.0, 4.0, 5.0], evaluate=lambda: 0.5, window=1, patience=2)
    assert [point["step"] for point in progress.curve] == [0, 3] and progress.best_step == 3


FAILING = [  # the losses, the dev scores, and what is said
    ([1.0, 1.0, math.nan, 1.0], None, "step 3: the loss is nan"),
    ([1.0, 1.0, math.inf, 1.0], None, "step 3: the loss is inf"),
    ([1.0] * 8, [math.nan], "step 0: the dev score is NaN"),
    ([1.0] * 8, [0.5, 0.5, math.nan], "step 4: the dev score is NaN"),
    ([1.0] * 8, [{"a": 1.0, "b": math.nan}], "step 0: the a or b score is NaN"),
]


@pytest.mark.parametrize("values, scores, said", FAILING)
def test_a_loss_or_a_score_that_is_not_finite_stops_the_training(values, scores, said):
    evaluate = scores and iter(scores).__next__
    with pytest.raises(TrainingFailed, match=said):
        fitted(values, evaluate, evaluate_every=2)


def test_the_model_ends_with_the_weights_of_its_best_dev_score():
    model, seen, scores = nn.Linear(2, 1), [], [0.9, 0.2, 0.6, 0.6, 0.3]

    def evaluate():
        seen.append(model.weight.detach().clone())
        return scores[len(seen) - 1]

    plan = Schedule(8, 0.1, warmup=0.0, evaluate_every=2)
    progress = fit(model, losses(model, [1.0] * 8), plan, evaluate)
    assert [p["dev"] for p in progress.curve] == scores
    # not the untrained .9; the first of two equals
    assert (progress.best, progress.best_step) == (0.6, 4)
    assert torch.equal(model.weight, seen[2]) and not torch.equal(seen[2], seen[3])


def test_a_training_that_never_beats_its_start_keeps_its_best_trained_weights():
    scores = iter([1.0, -0.5, -0.7])
    _, progress = fitted([1.0] * 4, evaluate=lambda: next(scores), evaluate_every=2)
    assert (progress.best_step, progress.best) == (2, -0.5)


def test_a_training_ends_with_a_perfect_dev_score_with_the_weights_that_all_its_steps_would_leave():
    def trained(scores):
        left = iter(scores)
        return fitted([1.0] * 8, evaluate=lambda: next(left), rate=0.1, evaluate_every=2)

    # The start is perfect, too, but is no candidate.
    model, progress = trained([1.0, 0.9, 1.0])
    later, whole = trained([1.0, 0.9, 0.9999, 0.9, 0.9])
    assert progress.stopped == "the dev score is perfect" and whole.stopped == ""
    assert (progress.step, progress.best_step, whole.step, whole.best_step) == (4, 4, 8, 4)
    assert torch.equal(model.weight, later.weight)


@pytest.mark.parametrize("steps", [1, 5])
def test_without_dev_the_last_weights_are_kept(steps):
    before, _ = fitted([])
    after, progress = fitted([1.0] * steps, rate=0.1, warmup=0.0, weight_decay=0.0)
    assert progress.curve == [] and summary(progress)["best"] is None
    # Adam moves a weight by the rate of each step while its gradient is steady.
    moved = sum(0.1 * (steps - step) / steps for step in range(steps))
    for old, new in zip(before.parameters(), after.parameters(), strict=True):
        assert torch.allclose(old - new, torch.full_like(old, moved), atol=1e-4)


def test_the_model_trains_in_training_mode_and_is_evaluated_in_evaluation_mode():
    model, modes = nn.Linear(2, 1), []
    plain = losses(model, [1.0] * 4)

    def step_loss(step):
        modes.append(("step", model.training))
        return plain(step)

    def evaluate():
        modes.append(("dev", model.training))
        return 0.5

    fit(model, step_loss, Schedule(4, 1e-3, evaluate_every=2), evaluate)
    dev, step = ("dev", False), ("step", True)
    assert modes == [dev, step, step, dev, step, step, dev]


def test_measures_are_noted_by_name_and_the_last_weights_are_kept():
    """An evaluation that gives several measures chooses no weights."""
    found = [{"a": 3.0, "b": 1.0}, {"a": 9.0, "b": 2.0}, {"a": 1.0, "b": 3.0}]
    left = iter(found)
    model, progress = fitted([1.0] * 4, evaluate=lambda: next(left), evaluate_every=2)
    steps = (0, 2, 4)
    assert progress.curve == [{"step": s, **m} for s, m in zip(steps, found, strict=True)]
    assert progress.best_step == 0 and summary(progress)["best"] is None
    last, _ = fitted([1.0] * 4)
    assert all(map(torch.equal, model.parameters(), last.parameters()))
