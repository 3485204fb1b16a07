"""How far each job of a plan is: done, running, or to do, and how long it still takes."""

import time
from dataclasses import dataclass
from pathlib import Path

from semblance.locks import name_for
from workflow.controller.saved import saved_step
from workflow.costing import usage
from workflow.costing.model import Cost
from workflow.planning.stages import STAGES, Job, inputs, jobs, log, record
from workflow.status.holders import Holder, holder_of


@dataclass(frozen=True)
class Steps:
    """How far a training is: ``saved`` is the step of its checkpoint, ``seen`` that of its log.

    ``steps`` are all, ``left`` the seconds for the rest at the speed that the log tells; each is None
    where nothing tells it. A training that goes on does so from ``saved``.
    """

    saved: int | None = None
    seen: int | None = None
    steps: int | None = None
    left: float | None = None


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
            self._steps[job] = self._read_steps(job)
        return self._steps[job]

    def _read_steps(self, job: Job) -> Steps:
        if STAGES[job.stage].work != "train":
            return Steps()
        saved = saved_step(Path(record(self.plan, job)).parent)
        line = usage.last_progress(self.cost, job)
        if line is None:
            return Steps(saved)
        left = None
        if line.rate > 0:
            left = (line.steps - line.step) / line.rate
        return Steps(saved, int(line.step), int(line.steps), left)

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


def log_of(cost: Cost, job: Job) -> str:
    """Return the path of a job's log."""
    return f"{cost.plan.out}/{log(job)}.log"
