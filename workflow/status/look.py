"""One look at a run: what runs where, what is done, what is left, what failed. Nothing is written."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from semblance.fetch.manifest import load_manifest
from workflow.controller import lock, slurm
from workflow.controller.causes import Causes, job_name
from workflow.costing import rates, usage
from workflow.costing.model import Cost
from workflow.planning.reads import Job
from workflow.planning.stages import STAGES
from workflow.status.holders import Holder, holder_of
from workflow.status.progress import Progress, log_of
from workflow.status.remaining import Remaining, remaining, share_done
from workflow.status.started import Started

PATIENCE = 5.0  # seconds for an answer of Slurm's


@dataclass(frozen=True)
class StageCount:
    """How many jobs of a stage there are, done, running and not begun."""

    stage: str
    jobs: int
    done: int
    running: int
    to_do: int


@dataclass(frozen=True)
class JobSeen:
    """A job without a result, as its lease, its log and its checkpoints show it.

    ``holder`` is the process that makes it, or was killed; ``age`` are the seconds since it began;
    ``step`` and ``steps`` are those of a training; ``saved`` is the step that it would go on from;
    ``left`` are seconds. ``error`` is the one with which its log ends. None or empty: not known.
    """

    job: str
    log: str
    holder: Holder | None = None
    age: float | None = None
    step: int | None = None
    steps: int | None = None
    saved: int | None = None
    left: float | None = None
    error: str = ""


@dataclass
class Status:
    """What there is to say of a run; ``controller`` is None if the last one was not killed.

    ``output`` counts from ``folder``. ``began`` is when the run did, in seconds since the epoch.
    ``measured``: whether predicted times go by jobs of this run. ``left_behind`` are the jobs that were
    stopped or killed. ``queue`` counts the jobs of the cluster by their state, None where Slurm was
    not asked or gave no answer.
    """

    output: str
    folder: str
    controller: Holder | None
    command: str
    began: float
    stages: list[StageCount]
    share: float
    remaining: Remaining
    measured: bool
    running: list[JobSeen] = field(default_factory=list)
    starting: list[JobSeen] = field(default_factory=list)
    failed: list[JobSeen] = field(default_factory=list)
    left_behind: list[JobSeen] = field(default_factory=list)
    queue: dict[str, int] | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def lives(self) -> bool:
        """Tell whether a controller is known to work."""
        return self.controller is not None and self.controller.lives


def look(started: Started) -> Status:
    """Return the state of a run; call it in the run's working folder."""
    cost = _cost(started.config)
    progress = Progress(cost)
    status = Status(
        output=cost.plan.out,
        folder=str(started.folder),
        controller=holder_of(Path(cost.plan.out, lock.NAME)),
        command=started.command,
        began=started.began,
        stages=list(_count_stages(progress)),
        share=share_done(progress),
        remaining=remaining(progress, started),
        measured=bool(cost.factor.n),
    )
    _sort_jobs(status, progress, started)
    _ask_queue(status)
    return status


def _cost(config: dict) -> Cost:
    """Return the costs by the factor that finished and running jobs show, without noting it."""
    cost = Cost(config, load_manifest(config["manifest"]), rates.shipped())
    cost.factor = usage.measured(cost, [*usage.finished(cost), *usage.running(cost)])
    return cost


def _count_stages(progress: Progress) -> Iterator[StageCount]:
    """Yield the counts of each stage that the plan has."""
    todo = set(progress.todo)
    for stage in STAGES:
        some = [job for job in progress.all if job.stage == stage]
        left = [job for job in some if job in todo]
        running = sum(map(progress.runs, left))
        if some:
            done = len(some) - len(left)
            yield StageCount(stage, len(some), done, running, len(left) - running)


def _sort_jobs(status: Status, progress: Progress, started: Started) -> None:
    """Name the jobs that run, that have failed since the start, and that were stopped."""
    causes = Causes(progress.plan, started.began)
    for job in progress.todo:
        if progress.runs(job):
            status.running.append(_seen(progress, job))
            continue
        cause = causes.cause(job)
        holder = progress.holders.get(job)
        if cause.state == "failed":
            status.failed.append(_seen(progress, job, cause.detail))
        elif cause.state == "not finished" and holder is None and status.lives:
            status.starting.append(_seen(progress, job))
        elif cause.state == "not finished" or holder or progress.steps(job).saved:
            status.left_behind.append(_seen(progress, job))


def _seen(progress: Progress, job: Job, error: str = "") -> JobSeen:
    steps = progress.steps(job)
    holder = progress.holders.get(job)
    age = None
    step = None
    if progress.runs(job):
        step = steps.seen
        age = max(0.0, time.time() - holder.since)
    return JobSeen(
        job=job_name(job),
        log=log_of(progress.cost, job),
        holder=holder,
        age=age,
        step=step,
        steps=steps.steps,
        saved=steps.saved,
        left=progress.left(job),
        error=error,
    )


def _ask_queue(status: Status) -> None:
    """Count what the cluster's queue holds of the last runs."""
    if not slurm.has_runs(status.output):
        return
    try:
        states = slurm.queue_of(status.output, PATIENCE)
    except slurm.Unanswered as error:
        status.notes.append(f"the queue of the cluster is not known ({error})")
        return
    status.queue = {}
    for state in states.values():
        status.queue[state] = status.queue.get(state, 0) + 1


def whole(status: Status) -> bool:
    """Tell whether every job is done."""
    return all(count.done == count.jobs for count in status.stages)
