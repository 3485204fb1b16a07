"""How far each job of a plan is, done, running, or to do, and how long all of them still take."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

from semblance.counts import counted
from semblance.locks import name_for
from workflow.costing import usage
from workflow.costing.model import Cost
from workflow.planning.stages import STAGES, Job, inputs, jobs, record
from workflow.status.holders import Holder, holder_of
from workflow.status.started import Started

GPUS = Path("/proc/driver/nvidia/gpus")  # a folder for each GPU of this machine
CHECKPOINTS = "checkpoints/*/step-*"  # in the folder of a training
CHAIN = "the longest chain of jobs that wait for each other"


@dataclass(frozen=True)
class Steps:
    """How far a training is: ``saved`` is the step of its checkpoint, ``seen`` that of its log.

    ``steps`` are all, ``left`` the seconds for the rest at the speed of its log; each is None
    where nothing is known of it. A training that goes on does so from ``saved``.
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
        if job not in self._steps:
            self._steps[job] = Steps()
            if STAGES[job.stage].work == "train":
                self._steps[job] = self._read_steps(job)
        return self._steps[job]

    def _read_steps(self, job: Job) -> Steps:
        folder = Path(record(self.plan, job)).parent
        saved = [int(path.name.removeprefix("step-")) for path in folder.glob(CHECKPOINTS)]
        newest = max(saved, default=None)
        line = usage.last_progress(self.cost, job)
        if line is None:
            return Steps(newest)
        left = None
        if line.rate > 0:
            left = (line.steps - line.step) / line.rate
        return Steps(newest, int(line.step), int(line.steps), left)

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
        known: dict[Job, float] = {}

        def until(job: Job) -> float:
            if job not in waiting:
                return 0.0
            if job not in known:
                before = max(map(until, inputs(self.plan, job)), default=0.0)
                known[job] = before + self.left(job)
            return known[job]

        return max(map(until, self.todo), default=0.0)

    def share_done(self) -> float:
        """Return the part of all seconds of work, by the cost model, that is done."""
        everything = sum(map(self.cost.seconds, self.all))
        if not everything:
            return 1.0
        return max(0.0, 1 - sum(map(self.left, self.todo)) / everything)

    def remaining(self, started: Started) -> Remaining:
        """Return how long the jobs to do take, if nothing fails and the cost model is right."""
        if started.at_a_time is None:
            return self._on_machine(started.cores or len(os.sched_getaffinity(0)))
        return self._on_cluster(started.at_a_time)

    def _on_cluster(self, at_a_time: int) -> Remaining:
        """Return the longest chain of jobs, or the time at the largest number of jobs at a time.

        Nobody knows how long jobs will wait in the queue.
        """
        submitted = [job for job in self.todo if not STAGES[job.stage].local]
        together = sum(map(self.left, submitted)) / at_a_time
        bounds = {CHAIN: self.chain(), f"all jobs, {at_a_time} at a time": together}
        rule = max(bounds, key=bounds.__getitem__)
        return Remaining(bounds[rule], "at least", f"{rule}, without the time in the queue")

    def _on_machine(self, cores: int) -> Remaining:
        """Return the longest of the chain, the core-hours on all cores, the GPU-hours on all GPUs."""
        on_cores = 0.0
        on_gpus = 0.0
        for job in self.todo:
            place = self.cost.places[job.stage]
            seconds = self.left(job)
            on_cores += seconds * min(place.cores, cores)
            if place.machine == "gpu":
                on_gpus += seconds
        gpus = max(1, sum(1 for _ in GPUS.glob("*")))
        bounds = {
            f"{on_cores / 3600:,.1f} core-hours on {counted(cores, 'core')}": on_cores / cores,
            f"{on_gpus / 3600:,.1f} GPU-hours on {counted(gpus, 'GPU')}": on_gpus / gpus,
            CHAIN: self.chain(),
        }
        rule = max(bounds, key=bounds.__getitem__)
        return Remaining(bounds[rule], "about", rule)
