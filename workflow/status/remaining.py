"""How long a run still takes, as far as the cost model can know it."""

import os
from dataclasses import dataclass
from pathlib import Path

from semblance.counts import counted
from workflow.planning.stages import STAGES
from workflow.status.progress import Progress
from workflow.status.started import Started

GPUS = Path("/proc/driver/nvidia/gpus")  # a folder for each GPU of this machine


@dataclass(frozen=True)
class Remaining:
    """The seconds until the end: ``about`` so many, or ``at least``; ``meaning`` says what they are."""

    seconds: float
    bound: str
    meaning: str


def remaining(progress: Progress, started: Started) -> Remaining:
    """Return how long the jobs to do take, if nothing fails and the cost model is right."""
    if started.at_a_time is not None:
        return _on_cluster(progress, started.at_a_time)
    return _on_machine(progress, started.cores)


def _on_cluster(progress: Progress, at_a_time: int) -> Remaining:
    """Return the longest chain of jobs, or the time at the largest number of jobs at a time.

    Nobody knows how long jobs will wait in the queue.
    """
    chain = progress.chain()
    everything = sum(progress.left(job) for job in progress.todo if not STAGES[job.stage].local)
    seconds = max(chain, everything / at_a_time)
    rule = "the longest chain of jobs that wait for each other"
    if seconds > chain:
        rule = f"all jobs, {at_a_time} at a time"
    return Remaining(seconds, "at least", f"{rule}, without the time in the queue")


def _on_machine(progress: Progress, noted: int | None) -> Remaining:
    """Return the longest of three: the chain, the core-hours on all cores, the GPU-hours on all GPUs."""
    cores = noted or len(os.sched_getaffinity(0))
    on_cores = 0.0
    on_gpus = 0.0
    for job in progress.todo:
        place = progress.cost.places[job.stage]
        seconds = progress.left(job)
        on_cores += seconds * min(place.cores, cores)
        if place.machine == "gpu":
            on_gpus += seconds
    gpus = max(1, sum(1 for _ in GPUS.glob("*")))
    bounds = {
        f"{on_cores / 3600:,.1f} core-hours on {counted(cores, 'core')}": on_cores / cores,
        f"{on_gpus / 3600:,.1f} GPU-hours on {counted(gpus, 'GPU')}": on_gpus / gpus,
        "the longest chain of jobs that wait for each other": progress.chain(),
    }
    rule = max(bounds, key=bounds.__getitem__)
    return Remaining(bounds[rule], "about", rule)


def share_done(progress: Progress) -> float:
    """Return the part of all seconds of work, by the cost model, that is done."""
    everything = sum(map(progress.cost.seconds, progress.all))
    left = sum(map(progress.left, progress.todo))
    if not everything:
        return 1.0
    return max(0.0, 1 - left / everything)
