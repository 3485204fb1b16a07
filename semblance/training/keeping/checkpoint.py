"""Step checkpoints: all that a training needs to go on as if it had never stopped.

A checkpoint is a folder ``step-N`` of one safetensors file (weights, optimiser, best weights,
random generators) and one JSON file (progress and digests). It is written under a temporary name,
synced and renamed; the last two are kept, and a damaged one is passed over with a warning.
"""

import shutil
import sys
import time
from dataclasses import asdict
from pathlib import Path

import torch
from torch import Tensor, nn

from semblance.errors import InputError, OutOfTime, is_passing
from semblance.files import whole_folder
from semblance.locks import Lease
from semblance.models.tensors import load_tensors, save_tensors
from semblance.provenance import checked, digests, write_sealed
from semblance.training.keeping.budget import Budget
from semblance.training.loop import Progress
from semblance.training.optimiser import AdamW

KEPT = 2
SHARE = 0.02  # of the time that checkpoints may take: slow disks and large models save less often
SLOW = 50e6  # bytes a second that a save is taken to write and hash before one has been timed


class Checkpoints:
    """The checkpoints of one training in one folder, saved every ``minutes`` or ``steps``, and before ``stop_at``."""

    def __init__(
        self,
        folder: str | Path,
        identity: str,
        minutes: float = 10.0,
        steps: int = 0,
        stop_at: float | None = None,
        lease: Lease | None = None,
    ):
        """``identity`` names settings, data and code: checkpoints of anything else are not resumed.

        ``lease``: of the folder that the training writes to; nothing is saved where it is lost.
        """
        self.root, self.identity, self.minutes, self.steps = Path(folder), identity, minutes, steps
        self.folder = (
            self.root / identity[:16]
        )  # so that another identity's cannot crowd out one's own
        self.finished = (
            self.folder / "finished"
        )  # what a finished training leaves (training.finished)
        self.saved_at = self.started = time.monotonic()
        self.cost = 0.0  # seconds that the last save took
        self.expected = 0.0  # seconds that the first may take
        self.seconds_before, self.lives = (
            0.0,
            1,
        )  # of this training in earlier processes, and how many there were
        self.budget, self.lease = Budget(stop_at), lease
        self.first_step, self.unsaved = (
            0,
            0,
        )  # the step that this process began at; pieces of work since the last save

    def before(
        self,
        work: str,
        steps: int,
        model: nn.Module,
        adam: AdamW,
        progress: Progress,
        best: dict[str, Tensor] | None,
    ) -> None:
        """Call this before each piece of work.

        Raises Busy if the folder is lost; OutOfTime, after a save, if the time is up.
        """
        if self.lease is not None and self.lease.lost:
            self.lease.check()
        if self.budget.fits(work, self.cost or self.expected):
            self.unsaved += 1
            return
        if self.unsaved:
            self.save(model, adam, progress, best)
        place = f"{self.root.parent}: out of time at step {progress.step} of {steps}"
        if progress.step > self.first_step:
            raise OutOfTime(f"{place}; saved, the next start goes on from here")
        raise OutOfTime(
            f"{place}, before the first step of this start: {self.budget.left:.0f} s left, "
            f"{self.budget.needed:.0f} s needed; ask for a longer runtime"
        )

    def save_if_due(
        self, model: nn.Module, adam: AdamW, progress: Progress, best: dict[str, Tensor] | None
    ) -> None:
        """Save after every ``steps`` steps, or when ``minutes`` have passed since the last save.

        By time, no more than a SHARE of it goes into saving, however slow the disk is.
        """
        by_steps = self.steps and progress.step % self.steps == 0
        if by_steps or time.monotonic() - self.saved_at >= max(
            60 * self.minutes, self.cost / SHARE
        ):
            self.save(model, adam, progress, best)

    def save(
        self, model: nn.Module, adam: AdamW, progress: Progress, best: dict[str, Tensor] | None
    ) -> None:
        """Write the checkpoint of this step, then drop all but the last two; Busy if the folder is another's now."""
        if self.lease is not None:
            self.lease.check()
        began = time.monotonic()
        final = self.folder / f"step-{progress.step:08d}"
        with whole_folder(final) as temporary:
            save_tensors(_tensors(model, adam, best), temporary / "state.safetensors")
            write_sealed(
                temporary / "record.json",
                {
                    "identity": self.identity,
                    "progress": _finite(asdict(progress)),
                    "lives": self.lives,
                    "longest": self.budget.longest,
                    "seconds": self.seconds_before + time.monotonic() - self.started,
                    "outputs": digests(temporary, ["state.safetensors"]),
                },
            )
        for old in self._newest_first()[KEPT:]:
            shutil.rmtree(old, ignore_errors=True)
        self.saved_at = time.monotonic()
        self.cost = self.saved_at - began
        self.unsaved = 0

    def restore(
        self, model: nn.Module, adam: AdamW, progress: Progress
    ) -> dict[str, Tensor] | None:
        """Load the newest whole checkpoint of this identity into the arguments; return the best weights."""
        self.expected = 4 * _bytes(model) / SLOW  # weights, best weights and AdamW's two moments
        if not self._newest_first() and self.root.is_dir() and any(self.root.iterdir()):
            print(
                f"note: {self.root} holds checkpoints of other settings, data or code; not resumed",
                file=sys.stderr,
            )
        for folder in self._newest_first():
            try:
                record = checked(folder / "record.json")
                if record.get("identity") != self.identity:
                    raise InputError(
                        folder, "belongs to another identity than its folder's", "delete it"
                    )
                state = load_tensors(folder / "state.safetensors")
            except (InputError, OSError) as error:
                if is_passing(
                    error
                ):  # the disk could not be read just now: not a reason to start anew
                    raise
                print(f"warning: checkpoint passed over: {error}", file=sys.stderr)
                shutil.rmtree(
                    folder, ignore_errors=True
                )  # or it would crowd out good ones of earlier steps
                continue
            for name, value in record["progress"].items():
                setattr(progress, name, float("-inf") if value is None else value)
            self.seconds_before, self.lives = record["seconds"], record["lives"] + 1
            self.budget.longest, self.first_step = record["longest"], progress.step
            print(f"resumed from step {progress.step}", file=sys.stderr)
            return _load(state, model, adam)
        return None

    def any(self) -> bool:
        """Tell whether there is a checkpoint of this identity."""
        return bool(self._newest_first())

    def clear(self, but: Path | None = None) -> None:
        """Remove the checkpoints of a finished training, of other identities too; keep one folder of one's own."""
        for path in [self.root] if but is None else [*self.folder.glob("*"), *self.root.glob("*")]:
            if path not in (but, self.folder):
                shutil.rmtree(path, ignore_errors=True)

    def _newest_first(self) -> list[Path]:
        return sorted(self.folder.glob("step-*"), reverse=True) if self.folder.is_dir() else []


def _bytes(model: nn.Module) -> int:
    return sum(parameter.numel() * parameter.element_size() for parameter in model.parameters())


def _tensors(model: nn.Module, adam: AdamW, best: dict[str, Tensor] | None) -> dict[str, Tensor]:
    tensors = {f"model.{n}": v for n, v in model.state_dict().items()}
    tensors |= {f"best.{n}": v for n, v in (best or {}).items()}
    for parameter, state in adam.state.items():
        tensors |= {f"adam.{parameter}/{n}": v for n, v in state.items()}
    tensors["random.cpu"] = torch.get_rng_state()
    if torch.cuda.is_available():
        tensors["random.cuda"] = torch.cuda.get_rng_state()
    return {n: v.detach().cpu().contiguous() for n, v in tensors.items()}


def _load(state: dict[str, Tensor], model: nn.Module, adam: AdamW) -> dict[str, Tensor] | None:
    def part(prefix: str) -> dict[str, Tensor]:
        return {n.removeprefix(prefix): v for n, v in state.items() if n.startswith(prefix)}

    model.load_state_dict(part("model."))
    device = next(model.parameters()).device
    for name, value in part("adam.").items():
        parameter, slot = name.split("/")
        adam.state.setdefault(parameter, {})[slot] = value.to(device)
    torch.set_rng_state(state["random.cpu"])
    if "random.cuda" in state and torch.cuda.is_available():
        torch.cuda.set_rng_state(state["random.cuda"])
    return part("best.") or None


def _finite(progress: dict) -> dict:
    return {**progress, "best": progress["best"] if progress["best_step"] else None}
