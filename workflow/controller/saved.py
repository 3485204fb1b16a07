"""What a run that ends early has saved, and how it goes on."""

import time
from collections.abc import Iterator
from pathlib import Path

from semblance import layout
from semblance.counts import counted

SHOWN = 10  # trainings that are named


def describe_saved(dag, out: str | Path) -> str:
    """Return what to print at the end of a run that did not finish its plan.

    ``dag`` is Snakemake's, with the jobs of the plan.
    """
    done = sum(1 for _ in dag.finished_jobs)
    trainings = list(unfinished_trainings(out))
    lines = [f"stopped: jobs that are done, and stay done: {done} of {len(list(dag.jobs))}"]
    lines += [f"saved: {training}" for training in trainings[:SHOWN]]
    if len(trainings) > SHOWN:
        lines.append(f"saved: {counted(len(trainings) - SHOWN, 'more training')}")
    lines.append("to go on: the same command again; a saved training goes on from its step")
    return "\n".join(lines)


def saved_step(folder: str | Path) -> int | None:
    """Return the step of the newest step checkpoint of a training in its folder; None without one."""
    return max(map(_step, Path(folder).glob("checkpoints/*/step-*")), default=None)


def _step(checkpoint: Path) -> int:
    return int(checkpoint.name.rpartition("-")[2])


def unfinished_trainings(out: str | Path) -> Iterator[str]:
    """Yield for each training that has a step checkpoint its folder, step and time, newest first."""
    newest: dict[Path, Path] = {}
    for checkpoint in Path(out).glob(f"{layout.pattern(layout.MODEL)}/checkpoints/*/step-*"):
        folder = checkpoint.parents[2]
        if folder not in newest or newest[folder].name < checkpoint.name:
            newest[folder] = checkpoint
    times = {folder: checkpoint.stat().st_mtime for folder, checkpoint in newest.items()}
    for folder in sorted(newest, key=lambda folder: -times[folder]):
        step = _step(newest[folder])
        yield f"{folder}: step {step}, at {time.strftime('%H:%M:%S', time.localtime(times[folder]))}"
