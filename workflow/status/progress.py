"""Which process makes each job of a plan, how far it is, and how long all of them still take.

Nothing is written, and no lock is tried or touched.
"""

import functools
import os
import re
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

import psutil

from semblance.counts import counted
from semblance.errors import InputError
from semblance.files import open_regular, read_regular
from semblance.locks import WIDTH, Lease, decoded, name_for
from workflow.costing.model import Cost
from workflow.planning.stages import STAGES, Job, inputs, jobs, log, record
from workflow.status.started import Started

CLOCK = 2.0  # seconds that the clocks of a process table and of a disk may differ
GPUS = Path("/proc/driver/nvidia/gpus")  # a folder for each GPU of this machine
CHECKPOINTS = "checkpoints/*/step-*"  # in the folder of a training
# What semblance.training.keeping.log prints of a running training.
PROGRESS = re.compile(r": step (\d+) of (\d+), loss \S+, ([\d.e+-]+) steps/s, ")
END_OF_LOG = 4096  # bytes
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
class JobSeen:
    """A job without a result. None or empty: not known."""

    job: str  # its stage, and which of it
    log: str
    holder: Holder | None  # the process that makes it, or was killed
    age: float | None  # seconds since it began; None if no living process makes it
    step: int | None
    steps: int | None
    saved: int | None  # the step that it would go on from
    left: float  # seconds
    error: str = ""


def see(cost: Cost, job: Job) -> JobSeen:
    """Return how far a job without a record is, by its lease, its checkpoints and its log.

    The seconds that are left are those of its log, or else of the cost model.
    """
    path = Path(record(cost.plan, job))
    holder = holder_of(path.parent / name_for(path))
    age = None
    if holder is not None and holder.lives:
        age = max(0.0, time.time() - holder.since)
    left = cost.seconds(job)
    saved, line = None, None
    if STAGES[job.stage].work == "train":
        found = [int(step.name.removeprefix("step-")) for step in path.parent.glob(CHECKPOINTS)]
        saved = max(found, default=None)
        line = last_progress(cost, job)
    if age is not None:
        left = (line.steps - line.step) / line.rate if line else max(0.0, left - age)
    elif line and saved:
        left *= max(0.0, 1 - saved / line.steps)
    return JobSeen(
        job=log(job).removeprefix("logs/").replace("/", " ", 1),
        log=f"{cost.plan.out}/{log(job)}.log",
        holder=holder,
        age=age,
        step=int(line.step) if line and age is not None else None,
        steps=int(line.steps) if line else None,
        saved=saved,
        left=left,
    )


class Line(NamedTuple):
    """A line of progress of a training: its step, all its steps, and steps a second."""

    step: float
    steps: float
    rate: float


def last_progress(cost: Cost, job: Job) -> Line | None:
    """Return what the last line of progress in a training's log says; None if it tells no speed."""
    path = Path(cost.plan.out, f"{log(job)}.log")
    try:
        with open_regular(path) as stream:
            stream.seek(max(0, path.stat().st_size - END_OF_LOG))
            end = stream.read(END_OF_LOG).decode(errors="replace")
        line = Line(*map(float, PROGRESS.findall(end)[-1]))
        return line if line.rate > 0 and line.steps > 0 else None
    except (InputError, OSError, LookupError, ValueError):
        return None


@dataclass(frozen=True)
class Remaining:
    """The seconds until the end: ``about`` so many, or ``at least``; ``meaning`` says what they are."""

    seconds: float
    bound: str
    meaning: str


class Progress:
    """Looks once at the record of each job of a plan, and at what there is of those without one."""

    def __init__(self, cost: Cost):
        self.cost = cost
        self.plan = cost.plan
        self.all = jobs(cost.plan)
        waiting = [job for job in self.all if not Path(record(self.plan, job)).is_file()]
        self.todo = {job: see(cost, job) for job in waiting}

    def chain(self) -> float:
        """Return the seconds of the longest chain of jobs to do, each of which waits for the one before."""

        @functools.cache
        def until(job: Job) -> float:
            if job not in self.todo:
                return 0.0
            return max(map(until, inputs(self.plan, job)), default=0.0) + self.todo[job].left

        return max(map(until, self.todo), default=0.0)

    def share_done(self) -> float:
        """Return the part of all seconds of work, by the cost model, that is done."""
        everything = sum(map(self.cost.seconds, self.all))
        if not everything:
            return 1.0
        return max(0.0, 1 - sum(seen.left for seen in self.todo.values()) / everything)

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
            together = sum(s.left for job, s in self.todo.items() if not STAGES[job.stage].local)
            bounds[f"all jobs, {started.at_a_time} at a time"] = together / started.at_a_time
            bound, suffix = "at least", ", without the time in the queue"
        rule = max(bounds, key=bounds.__getitem__)
        return Remaining(bounds[rule], bound, f"{rule}{suffix}")

    def _on_machine(self, cores: int) -> dict[str, float]:
        on_cores = 0.0
        on_gpus = 0.0
        for job, seen in self.todo.items():
            place = self.cost.places[job.stage]
            on_cores += seen.left * min(place.cores, cores)
            if place.machine == "gpu":
                on_gpus += seen.left
        gpus = max(1, sum(1 for _ in GPUS.glob("*")))
        return {
            f"{on_cores / 3600:,.1f} core-hours on {counted(cores, 'core')}": on_cores / cores,
            f"{on_gpus / 3600:,.1f} GPU-hours on {counted(gpus, 'GPU')}": on_gpus / gpus,
        }
