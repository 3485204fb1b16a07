"""Which process makes each job of a plan, how far it is, and how long all of them still take.

Nothing is written, and no lock is tried or touched.
"""

import functools
import os
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psutil

from semblance.counts import counted
from semblance.errors import InputError
from semblance.files import read_regular
from semblance.locks import WIDTH, Lease, decoded, name_for
from workflow.costing import usage
from workflow.costing.model import Cost
from workflow.planning.stages import STAGES, Job, inputs, jobs, record
from workflow.status.started import Started

CLOCK = 2.0  # seconds that the clocks of a process table and of a disk may differ
GPUS = Path("/proc/driver/nvidia/gpus")  # a folder for each GPU of this machine
CHECKPOINTS = "checkpoints/*/step-*"  # in the folder of a training
CHAIN = "the longest chain of jobs that wait for each other"


@dataclass(frozen=True)
class Holder:
    """The process that wrote a lease last, and has not ended it.

    ``job`` is its Slurm job, or empty. ``since``: when it began, in seconds since the epoch; of a
    process of another machine, by the number of its beats. ``silent``: the seconds since its last
    beat. ``state``: ``dead`` for a process of this machine that is gone, ``silent`` for one of another
    machine without a beat for long.
    """

    host: str
    pid: int
    job: str
    since: float
    silent: float
    state: Literal["alive", "silent", "dead"]

    @property
    def lives(self) -> bool:
        """Tell whether the process is known to work."""
        return self.state == "alive"

    def describe(self) -> str:
        """Return the process as a person finds it."""
        parts = [self.host, f"pid {self.pid}"]
        if self.job:
            parts.insert(1, f"Slurm job {self.job}")
        return ", ".join(parts)


def holder_of(path: str | Path) -> Holder | None:
    """Return the holder by the locked file; None where the last one ended well, or nobody was."""
    path = Path(path)
    try:
        found = decoded(read_regular(path, WIDTH).strip())
        beaten = path.stat().st_mtime
        host, pid, job, beat = (found[key] for key in ("host", "pid", "job", "beat"))
    except (InputError, OSError, LookupError, TypeError, ValueError):  # it is being written
        return None
    silent = max(0.0, time.time() - beaten)
    since = beaten - max(0, beat - 1) * Lease.BEAT
    if host != socket.gethostname():
        state = "alive" if silent < Lease.WATCH else "silent"
        return Holder(host, pid, job, since, silent, state)
    began = _began(pid)
    # A process that began after the last beat has only the same number.
    if began is None or began > beaten + CLOCK:
        return Holder(host, pid, job, since, silent, "dead")
    return Holder(host, pid, job, began, silent, "alive")


def _began(pid: int) -> float | None:
    """Return when a process of this machine began; None if there is none, or only its exit status."""
    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        return process.create_time()
    except (psutil.Error, ValueError, OverflowError):
        return None


@dataclass(frozen=True)
class Steps:
    """How far a training is: ``saved`` is the step of its checkpoint, ``seen`` that of its log.

    ``steps`` are all, ``left`` the seconds for the rest at the speed of its log; None: not known.
    """

    saved: int | None = None
    seen: int | None = None
    steps: int | None = None
    left: float | None = None


@dataclass(frozen=True)
class Remaining:
    """The seconds until the end: ``about`` so many, or ``at least``; ``meaning`` says what they are."""

    seconds: float
    bound: str
    meaning: str


class Progress:
    """Looks once at the record and the lease of each job of a plan.

    ``todo`` are the jobs without a record, ``holders`` those of them that a process has, or had when
    it was killed.
    """

    def __init__(self, cost: Cost):
        self.cost = cost
        self.plan = cost.plan
        self.all = jobs(cost.plan)
        self.todo = []
        self.holders: dict[Job, Holder] = {}
        self._steps: dict[Job, Steps] = {}
        for job in self.all:
            path = Path(record(self.plan, job))
            if path.is_file():
                continue
            self.todo.append(job)
            holder = holder_of(path.parent / name_for(path))
            if holder is not None:
                self.holders[job] = holder

    def runs(self, job: Job) -> bool:
        """Tell whether a living process makes a job."""
        return job in self.holders and self.holders[job].lives

    def steps(self, job: Job) -> Steps:
        """Return how far a training is; of another job, that nothing is known."""
        if STAGES[job.stage].work != "train":
            return Steps()
        if job not in self._steps:
            folder = Path(record(self.plan, job)).parent
            saved = [int(path.name.removeprefix("step-")) for path in folder.glob(CHECKPOINTS)]
            newest = max(saved, default=None)
            self._steps[job] = Steps(newest)
            line = usage.last_progress(self.cost, job)
            if line:
                left = (line.steps - line.step) / line.rate
                self._steps[job] = Steps(newest, int(line.step), int(line.steps), left)
        return self._steps[job]

    def left(self, job: Job) -> float:
        """Return the seconds that a job without a record still takes, by the cost model or its log."""
        expected = self.cost.seconds(job)
        steps = self.steps(job)
        if self.runs(job):
            if steps.left is not None:
                return steps.left
            return max(0.0, expected - (time.time() - self.holders[job].since))
        if steps.saved and steps.steps:
            return expected * max(0.0, 1 - steps.saved / steps.steps)
        return expected

    def chain(self) -> float:
        """Return the seconds of the longest chain of jobs to do, each of which waits for the one before."""
        waiting = set(self.todo)

        @functools.cache
        def until(job: Job) -> float:
            if job not in waiting:
                return 0.0
            return max(map(until, inputs(self.plan, job)), default=0.0) + self.left(job)

        return max(map(until, self.todo), default=0.0)

    def share_done(self) -> float:
        """Return the part of all seconds of work, by the cost model, that is done."""
        everything = sum(map(self.cost.seconds, self.all))
        if not everything:
            return 1.0
        return max(0.0, 1 - sum(map(self.left, self.todo)) / everything)

    def remaining(self, started: Started) -> Remaining:
        """Return how long the jobs to do take, if nothing fails and the cost model is right.

        It is the longest of the chain and of what the places for jobs allow: the core-hours on all
        cores, the GPU-hours on all GPUs, or on a cluster the largest number of jobs at a time.
        Nobody knows how long jobs will wait in the queue.
        """
        bounds = {CHAIN: self.chain()}
        bound, suffix = "about", ""
        if started.at_a_time is None:
            bounds = self._on_machine(started.cores or len(os.sched_getaffinity(0))) | bounds
        else:
            submitted = [job for job in self.todo if not STAGES[job.stage].local]
            together = sum(map(self.left, submitted)) / started.at_a_time
            bounds[f"all jobs, {started.at_a_time} at a time"] = together
            bound, suffix = "at least", ", without the time in the queue"
        rule = max(bounds, key=bounds.__getitem__)
        return Remaining(bounds[rule], bound, f"{rule}{suffix}")

    def _on_machine(self, cores: int) -> dict[str, float]:
        on_cores = 0.0
        on_gpus = 0.0
        for job in self.todo:
            place = self.cost.places[job.stage]
            seconds = self.left(job)
            on_cores += seconds * min(place.cores, cores)
            if place.machine == "gpu":
                on_gpus += seconds
        gpus = max(1, sum(1 for _ in GPUS.glob("*")))
        return {
            f"{on_cores / 3600:,.1f} core-hours on {counted(cores, 'core')}": on_cores / cores,
            f"{on_gpus / 3600:,.1f} GPU-hours on {counted(gpus, 'GPU')}": on_gpus / gpus,
        }
