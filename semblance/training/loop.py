"""The one training loop: every training of every method goes through ``fit``."""

import math
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, field

from torch import Tensor, nn
from tqdm import tqdm

from semblance.errors import InputError
from semblance.models.optimiser import AdamW
from semblance.training.update import Update, updating

STEP, EVALUATION, END = "step", "evaluation", "end"  # what a training does next
DEV = "dev"  # the measure by which weights are chosen
PERFECT = 1.0  # the highest dev score that there is: of Spearman's rho and of average precision
Measures = dict[str, float]


@dataclass(frozen=True)
class Schedule:
    """How long and how fast to train."""

    steps: int
    learning_rate: float
    warmup: float = 0.1  # a share of the steps
    weight_decay: float = 0.01
    clip: float = 1.0
    evaluate_every: int = 0  # steps; 0: at the start and the end only
    # The training ends when the mean loss of ``window`` steps has not fallen for so many windows,
    # and keeps the weights at the end of the window with the lowest loss.
    window: int = 1
    patience: int | None = None  # None: no early stopping


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


@dataclass
class TrainingState:
    """All that changes during a training, besides the random generators."""

    model: nn.Module
    optimiser: AdamW
    progress: Progress = field(default_factory=Progress)
    # Of the best dev score or, without one, of the window with the lowest loss, once there is one.
    best_weights: dict[str, Tensor] | None = None


class NoCheckpoints:
    """The three calls that ``fit`` makes to checkpoints; here they do nothing.

    ``keeping.checkpoint.Checkpoints`` answers them with real checkpoints.
    """

    def restore(self, state: TrainingState) -> None:
        """Bring ``state`` to the last checkpoint, if there is one."""

    def before(self, work: str, state: TrainingState, steps: int) -> None:
        """Raise an exception, which ends the training, if ``work`` must not begin.

        ``steps`` is the number of all steps of the training.
        """

    def save_if_due(self, state: TrainingState) -> None:
        """Save ``state`` if the last checkpoint is old enough."""


class TrainingFailed(InputError):
    """The training went wrong in a way that no later step can mend."""


def learning_rate(step: int, schedule: Schedule) -> float:
    """Linear warm-up to the full rate, then linear decay to zero after the last step."""
    warm = math.ceil(schedule.warmup * schedule.steps)
    # step + 1: at a rate of 0 the first batch would be drawn for nothing.
    if step < warm:
        return schedule.learning_rate * (step + 1) / warm
    # A warm-up may take all steps; then none is left to divide by.
    return schedule.learning_rate * (schedule.steps - step) / max(1, schedule.steps - warm)


def fit(
    model: nn.Module,
    step_loss: Callable[[int], Tensor],
    schedule: Schedule,
    evaluate: Callable[[], float | Measures] | None = None,
    log: Callable[[dict], None] = lambda event: None,
    checkpoints=NoCheckpoints(),
) -> Progress:
    """Train ``model`` in place and leave it with its best weights on the dev set.

    ``step_loss(step)`` draws batch number ``step`` and returns its loss. ``evaluate()`` returns the
    dev score, higher is better; without it the last weights are kept, or with early stopping those
    of the best window. The untrained model is evaluated too, for the curve, but is no candidate: a
    method must not win by not training. Or it returns several measures by name: these are noted,
    and the last weights are kept.
    Raises TrainingFailed for a loss that is not finite or a dev score that is NaN (collapse), and
    what ``checkpoints.before`` raises.
    """
    state = TrainingState(model, AdamW(model, schedule.weight_decay))
    checkpoints.restore(state)
    update = updating(model, state.optimiser, step_loss, schedule.clip)
    with _progress_bar(state.progress, schedule) as bar:
        while (work := _next_work(state.progress, schedule, evaluate)) != END:
            checkpoints.before(work, state, schedule.steps)
            if work == STEP:
                _step(state, update, schedule, log)
                bar.update()
            else:
                _evaluate(state, evaluate, log)
            # A checkpoint holds the dev score of its step: an evaluation that is due comes first.
            evaluated = not _is_evaluation_due(state.progress, schedule, evaluate)
            if state.progress.step and evaluated:
                checkpoints.save_if_due(state)
    if state.best_weights is not None:
        model.load_state_dict(state.best_weights)
    return state.progress


def _progress_bar(progress: Progress, schedule: Schedule) -> tqdm:
    return tqdm(
        total=schedule.steps,
        initial=progress.step,
        unit="step",
        file=sys.stderr,
        disable=None,
        mininterval=1.0,
    )


def _next_work(progress: Progress, schedule: Schedule, evaluate: Callable | None) -> str:
    """Return EVALUATION where the dev score is due, else STEP while steps are left, else END."""
    if _is_evaluation_due(progress, schedule, evaluate):
        return EVALUATION
    if _is_last_step_done(progress, schedule):
        return END
    return STEP


def _is_evaluation_due(progress: Progress, schedule: Schedule, evaluate: Callable | None) -> bool:
    """Tell whether the dev score of this step is wanted and not yet known."""
    if evaluate is None:
        return False
    if progress.curve and progress.curve[-1]["step"] == progress.step:
        return False
    if progress.step == 0 or _is_last_step_done(progress, schedule):
        return True
    return schedule.evaluate_every > 0 and progress.step % schedule.evaluate_every == 0


def _is_last_step_done(progress: Progress, schedule: Schedule) -> bool:
    return progress.step >= schedule.steps or bool(progress.stopped)


def _step(state: TrainingState, update: Update, schedule: Schedule, log: Callable) -> None:
    rate = learning_rate(state.progress.step, schedule)
    state.model.train()
    loss = update(state.progress.step, rate)
    state.progress.step += 1
    if not math.isfinite(loss):
        advice = "lower the learning rate, or train in fp32"
        raise TrainingFailed(f"step {state.progress.step}", f"the loss is {loss}", advice)
    log({"step": state.progress.step, "loss": loss, "learning_rate": rate})
    if schedule.patience is not None:
        _stop_early(state, loss, schedule)


def _stop_early(state: TrainingState, loss: float, schedule: Schedule) -> None:
    """Note the loss; after a window keep its weights if it is the lowest, or end the training."""
    progress = state.progress
    progress.losses.append(loss)
    if len(progress.losses) < schedule.window:
        return
    progress.windows.append(sum(progress.losses) / schedule.window)
    progress.losses.clear()
    lowest = progress.windows.index(min(progress.windows))
    windows_since = len(progress.windows) - 1 - lowest
    if windows_since == 0 and not progress.curve:  # a dev score chooses, where there is one
        _keep_weights(state)
    # Windows of steps, because a single batch says little about the loss (R24).
    if windows_since >= schedule.patience:
        progress.stopped = (
            f"the loss did not fall for {schedule.patience} windows of {schedule.window} steps"
        )


def _evaluate(state: TrainingState, evaluate: Callable, log: Callable) -> None:
    """Note the dev score or the measures; keep a copy of the weights if it is the best so far."""
    progress = state.progress
    state.model.eval()
    found = evaluate()
    measures = found if isinstance(found, dict) else {DEV: found}
    # NaN is above no score: the training would go on and keep whatever came before.
    if any(map(math.isnan, measures.values())):
        problem = f"the {' or '.join(measures)} score is NaN: the embeddings have collapsed"
        raise TrainingFailed(f"step {progress.step}", problem, "lower the learning rate")
    progress.curve.append({"step": progress.step, **measures})
    log({"step": progress.step, **measures})
    score = measures.get(DEV, -math.inf)
    # Not the untrained model (R30); of equal scores the earlier step, which has trained less.
    if progress.step and score > progress.best:
        progress.best = score
        _keep_weights(state)
        if score >= PERFECT:  # of equal scores the first counts, so later weights cannot be kept
            progress.stopped = "the dev score is perfect"


def _keep_weights(state: TrainingState) -> None:
    state.progress.best_step = state.progress.step
    weights = state.model.state_dict()
    state.best_weights = {name: value.detach().clone() for name, value in weights.items()}


def summary(progress: Progress) -> dict:
    """Return what a run record says of a training; ``best`` is None without a dev score."""
    best = progress.best if math.isfinite(progress.best) else None
    facts = asdict(progress)
    shown = ("step", "best_step", "curve", "windows", "stopped")
    return {name: facts[name] for name in shown} | {"best": best}
