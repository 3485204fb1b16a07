"""The one training loop: every training of every method goes through ``fit``."""

import math
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field

import torch
from torch import Tensor, nn
from tqdm import tqdm

from semblance.errors import InputError
from semblance.training.optimiser import AdamW

STEP, EVALUATION = "step", "evaluation"


@dataclass(frozen=True)
class Schedule:
    """How long and how fast to train.

    ``warmup`` is a share of the steps; ``evaluate_every`` counts steps; ``patience`` counts windows of
    ``window`` steps whose mean loss does not fall (None: no early stopping).
    """

    steps: int
    learning_rate: float
    warmup: float = 0.1
    weight_decay: float = 0.01
    clip: float = 1.0
    evaluate_every: int = 0
    window: int = 1
    patience: int | None = None


@dataclass
class Progress:
    """All that a training remembers besides weights, optimiser and random generators."""

    step: int = 0
    curve: list[dict] = field(default_factory=list)
    best: float = -math.inf
    best_step: int = 0
    losses: list[float] = field(default_factory=list)
    windows: list[float] = field(default_factory=list)
    stopped: str = ""


class TrainingFailed(InputError):
    """The training went wrong in a way that no later step can mend."""


def learning_rate(step: int, schedule: Schedule) -> float:
    """Linear warm-up to the full rate, then linear decay to zero after the last step."""
    warm = math.ceil(schedule.warmup * schedule.steps)
    if step < warm:
        return schedule.learning_rate * (step + 1) / warm
    return schedule.learning_rate * (schedule.steps - step) / max(1, schedule.steps - warm)


def fit(
    model: nn.Module,
    step_loss: Callable[[int], Tensor],
    schedule: Schedule,
    *,
    evaluate: Callable[[], float] | None = None,
    log: Callable[[dict], None] = lambda event: None,
    checkpoint=None,
    label: str = "",
) -> Progress:
    """Train ``model`` in place and leave it with its best weights on the dev set.

    ``step_loss(step)`` draws batch number ``step`` and returns its loss. ``evaluate()`` returns the dev
    score, higher is better; without it the last weights are kept. The untrained model is evaluated
    too, for the curve, but is no candidate: a method must not win by not training.
    ``checkpoint`` (``training.checkpoint``) saves and restores the state, and ends the training, resumable,
    where the time is up or the folder is another's; None does none of it.
    Raises TrainingFailed for a loss that is not finite or a dev score that is NaN (collapse).
    """
    adam, progress = AdamW(model, schedule.weight_decay), Progress()
    best = None if checkpoint is None else checkpoint.restore(model, adam, progress)
    work = _next_work(progress, schedule, evaluate)
    bar = tqdm(
        total=schedule.steps,
        initial=progress.step,
        desc=label,
        unit="step",
        file=sys.stderr,
        disable=None,
        mininterval=1.0,
    )
    with bar:
        while work:
            if checkpoint is not None:
                checkpoint.before(work, schedule.steps, model, adam, progress, best)
            if work == STEP:
                value = _step(model, adam, step_loss, schedule, progress.step)
                progress.step += 1
                _note_loss(progress, value, schedule, log)
                bar.update()
            elif _evaluate(model, evaluate, progress, log):
                best = {n: v.detach().clone() for n, v in model.state_dict().items()}
            work = _next_work(progress, schedule, evaluate)
            if (
                checkpoint is not None and progress.step and work != EVALUATION
            ):  # a checkpoint owes no evaluation
                checkpoint.save_if_due(model, adam, progress, best)
    if best is not None:
        model.load_state_dict(best)
    return progress


def _next_work(progress: Progress, schedule: Schedule, evaluate: Callable | None) -> str:
    """Return STEP, EVALUATION or, at the end, the empty string."""
    over = progress.step >= schedule.steps or bool(progress.stopped)
    due = (
        not progress.step
        or over
        or (schedule.evaluate_every and progress.step % schedule.evaluate_every == 0)
    )
    evaluated = progress.curve and progress.curve[-1]["step"] == progress.step
    if evaluate and due and not evaluated:
        return EVALUATION
    return "" if over else STEP


def _step(
    model: nn.Module, adam: AdamW, step_loss: Callable, schedule: Schedule, step: int
) -> float:
    model.train()
    value = step_loss(step)
    value.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), schedule.clip)
    adam.step(learning_rate(step, schedule))
    adam.zero_grad()
    loss = float(value.detach())
    if not math.isfinite(loss):
        raise TrainingFailed(
            f"step {step + 1}", f"the loss is {loss}", "lower the learning rate, or train in fp32"
        )
    return loss


def _note_loss(progress: Progress, value: float, schedule: Schedule, log: Callable) -> None:
    log(
        {
            "step": progress.step,
            "loss": value,
            "learning_rate": learning_rate(progress.step - 1, schedule),
        }
    )
    if schedule.patience is None:
        return
    progress.losses.append(value)
    if len(progress.losses) == schedule.window:
        progress.windows.append(sum(progress.losses) / schedule.window)
        progress.losses.clear()
        lowest = progress.windows.index(min(progress.windows))
        if len(progress.windows) - 1 - lowest >= schedule.patience:
            progress.stopped = (
                f"the loss did not fall for {schedule.patience} windows of {schedule.window} steps"
            )


def _evaluate(
    model: nn.Module, evaluate: Callable[[], float], progress: Progress, log: Callable
) -> bool:
    """Note the dev score; return whether these are the best weights so far."""
    model.eval()
    score = evaluate()
    if math.isnan(score):
        raise TrainingFailed(
            f"step {progress.step}",
            "the dev score is NaN: the embeddings have collapsed",
            "lower the learning rate",
        )
    progress.curve.append({"step": progress.step, "dev": score})
    log({"step": progress.step, "dev": score})
    if progress.step and score > progress.best:
        progress.best, progress.best_step = score, progress.step
        return True
    return False


def summary(progress: Progress) -> dict:
    """Return what a run record says of a training."""
    facts = asdict(progress)
    return {k: facts[k] for k in ("step", "best_step", "curve", "windows", "stopped")} | {
        "best": progress.best if progress.best_step else None
    }
