"""Step checkpoints: all that a training needs to go on as if it had never stopped.

A checkpoint is a folder ``step-N`` of one safetensors file (weights, optimiser, best weights,
random generators) and one JSON file (progress and digests). It is written under a temporary name,
synced and renamed. The last two are kept, and a damaged one is passed over with a warning.
"""

import math
import shutil
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import Tensor

from semblance.errors import InputError, OutOfTime, is_transient
from semblance.files import whole_folder
from semblance.layout import RECORD
from semblance.locks import Lease
from semblance.models.weights import load_tensors, save_tensors
from semblance.provenance import checked, digests, write_sealed
from semblance.training.keeping.budget import Budget
from semblance.training.loop import Progress, TrainingState

KEPT = 2  # checkpoints
SHARE = 0.02  # of the time may go into saving: slow disks and large models save less often
SLOW = 50e6  # bytes a second: the assumed speed of saving before the first save has been timed


@dataclass(frozen=True)
class Cadence:
    """When to save and when to stop: nothing that changes a result."""

    minutes: float  # between checkpoints
    steps: int  # between checkpoints; 0: by minutes alone
    stop_at: float | None = None  # seconds since the epoch at which the process must have ended


class Checkpoints:
    """The checkpoints of one training, below one folder.

    ``identity`` names settings, data and code: checkpoints of another identity are not resumed, and
    lie in another folder, so that they cannot push out those of this one. With ``lease``, the right
    to write the folder, nothing is saved once that right is lost.
    """

    def __init__(
        self, root: str | Path, identity: str, cadence: Cadence, lease: Lease | None = None
    ):
        self.root = Path(root)
        self.identity = identity
        self.cadence = cadence
        self.lease = lease
        self.folder = self.root / identity[:16]
        self.finished = self.folder / "finished"  # the outputs of a finished training
        self.started = time.monotonic()
        self.saved_at = self.started
        self.cost = 0.0  # seconds that the last save took
        self.expected = 0.0  # seconds that the first save may take
        self.seconds_before = 0.0  # of this training in earlier processes
        self.attempts = 1  # processes that worked on this training, this one included
        self.budget = Budget(cadence.stop_at)
        self.first_step = 0  # the step that this process began at
        self.unsaved = 0  # steps and evaluations since the last save

    def before(self, work: str, state: TrainingState, steps: int) -> None:
        """Return if ``work`` (a step of ``steps``, or an evaluation) may begin.

        Raises Busy if the folder is lost, and OutOfTime, after a save, if the time is up.
        """
        if self.lease is not None and self.lease.lost:
            self.lease.check()
        if self.budget.fits(work, self.cost or self.expected):
            self.unsaved += 1
            return
        if self.unsaved:
            self.save(state)
        step = state.progress.step
        place = f"{self.root.parent}: out of time at step {step} of {steps}"
        if step > self.first_step:
            raise OutOfTime(f"{place}; saved, the next start goes on from here")
        raise OutOfTime(
            f"{place}, before the first step of this start: {self.budget.left:.0f} s left, "
            f"{self.budget.needed:.0f} s needed; ask for a longer runtime"
        )

    def save_if_due(self, state: TrainingState) -> None:
        """Save after every ``cadence.steps`` steps, or ``cadence.minutes`` after the last save.

        By minutes, no more than SHARE of the time goes into saving, however slow the disk is.
        """
        if self.cadence.steps and state.progress.step % self.cadence.steps == 0:
            self.save(state)
            return
        interval = max(60 * self.cadence.minutes, self.cost / SHARE)
        if time.monotonic() - self.saved_at >= interval:
            self.save(state)

    def save(self, state: TrainingState) -> None:
        """Write the checkpoint of this step, then remove all but the last two; or raise Busy."""
        if self.lease is not None:
            self.lease.check()
        began = time.monotonic()
        progress = asdict(state.progress)
        if not math.isfinite(state.progress.best):
            progress["best"] = None  # JSON has no minus infinity
        with whole_folder(self.folder / f"step-{state.progress.step:08d}") as temporary:
            save_tensors(_tensors(state), temporary / "state.safetensors")
            record = {
                "identity": self.identity,
                "progress": progress,
                "attempts": self.attempts,
                "longest": self.budget.longest,
                "seconds": self.seconds_before + time.monotonic() - self.started,
                "outputs": digests(temporary, ["state.safetensors"]),
            }
            write_sealed(temporary / RECORD, record)
        for old in self._newest_first()[KEPT:]:
            shutil.rmtree(old, ignore_errors=True)
        self.saved_at = time.monotonic()
        self.cost = self.saved_at - began
        self.unsaved = 0

    def restore(self, state: TrainingState) -> None:
        """Bring ``state`` and the random generators to the newest whole checkpoint, if any."""
        # A checkpoint holds the weights, the best weights and two moments of AdamW.
        sizes = [p.numel() * p.element_size() for p in state.model.parameters()]
        self.expected = 4 * sum(sizes) / SLOW
        steps = self._newest_first()
        # Folders of other identities; this one's may hold a save that was killed.
        others = [path for path in self.root.glob("*") if path != self.folder]
        if others and not steps:
            problem = "holds checkpoints of other settings, data or code; not resumed"
            print(f"note: {self.root} {problem}", file=sys.stderr)
        for folder in steps:
            if self._restore_from(folder, state):
                print(f"resumed from step {state.progress.step}", file=sys.stderr)
                return

    def _restore_from(self, folder: Path, state: TrainingState) -> bool:
        """Load one checkpoint and return True; remove a damaged one, with a warning."""
        try:
            record = checked(folder / RECORD)
            tensors = load_tensors(folder / "state.safetensors")
        except (InputError, OSError) as error:
            if is_transient(error):  # the disk could not be read just now: no reason to start anew
                raise
            print(f"warning: checkpoint passed over: {error}", file=sys.stderr)
            # If it stayed, it would count among the two that are kept.
            shutil.rmtree(folder, ignore_errors=True)
            return False
        progress = record["progress"]
        if progress["best"] is None:
            progress["best"] = -math.inf
        state.progress = Progress(**progress)
        self.seconds_before = record["seconds"]
        self.attempts = record["attempts"] + 1
        self.budget.longest = record["longest"]
        self.first_step = state.progress.step
        _load(tensors, state)
        return True

    def any(self) -> bool:
        """Tell whether there is a checkpoint of this identity."""
        return bool(self._newest_first())

    def clear(self, but: Path | None = None) -> None:
        """Remove all checkpoints, of other identities too, but one folder of this identity."""
        if but is None:
            shutil.rmtree(self.root, ignore_errors=True)
            return
        for path in [*self.folder.glob("*"), *self.root.glob("*")]:
            if path not in (but, self.folder):
                shutil.rmtree(path, ignore_errors=True)

    def _newest_first(self) -> list[Path]:
        return sorted(self.folder.glob("step-*"), reverse=True)


def _tensors(state: TrainingState) -> dict[str, Tensor]:
    """Return all tensors of a checkpoint, each under its own name, on the CPU."""
    tensors = {f"model.{name}": value for name, value in state.model.state_dict().items()}
    for name, value in (state.best_weights or {}).items():
        tensors[f"best.{name}"] = value
    for parameter, slots in state.optimiser.state.items():
        for slot, value in slots.items():
            tensors[f"adam.{parameter}/{slot}"] = value
    tensors["random.cpu"] = torch.get_rng_state()
    if torch.cuda.is_available():
        tensors["random.cuda"] = torch.cuda.get_rng_state()
    return {name: value.detach().cpu().contiguous() for name, value in tensors.items()}


def _load(tensors: dict[str, Tensor], state: TrainingState) -> None:
    state.model.load_state_dict(_with_prefix(tensors, "model."))
    state.best_weights = _with_prefix(tensors, "best.") or None
    device = next(state.model.parameters()).device
    for name, value in _with_prefix(tensors, "adam.").items():
        parameter, slot = name.split("/")
        state.optimiser.state.setdefault(parameter, {})[slot] = value.to(device)
    torch.set_rng_state(tensors["random.cpu"])
    if "random.cuda" in tensors and torch.cuda.is_available():
        torch.cuda.set_rng_state(tensors["random.cuda"])


def _with_prefix(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    chosen = {name: value for name, value in tensors.items() if name.startswith(prefix)}
    return {name.removeprefix(prefix): value for name, value in chosen.items()}
