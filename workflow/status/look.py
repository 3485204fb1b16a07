"""One look at a run: what runs where, what is done, what is left, what failed. Nothing is written."""

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from semblance.fetch.manifest import load_manifest
from workflow.controller import events, lock, slurm
from workflow.costing import rates, usage
from workflow.costing.model import Cost
from workflow.planning.stages import STAGES, Job, log
from workflow.status.progress import Holder, Progress, Remaining, holder_of
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
    """A job without a result. None or empty: not known."""

    job: str
    log: str
    holder: Holder | None  # the process that makes it, or was killed
    age: float | None  # seconds since it began
    step: int | None
    steps: int | None
    saved: int | None  # the step that it would go on from
    left: float | None  # seconds
    error: str


@dataclass
class Status:
    """What there is to say of a run."""

    output: str  # counts from ``folder``
    folder: str
    controller: Holder | None  # None if the last one was not killed
    command: str
    began: float  # seconds since the epoch
    stages: list[StageCount]
    share: float
    remaining: Remaining
    measured: bool  # whether predicted times go by jobs of this run
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
    config = started.config
    cost = Cost(config, load_manifest(config.manifest), rates.shipped())
    # By the factor that finished and running jobs show, which is not noted.
    cost.factor = usage.measured(cost, [*usage.finished(cost), *usage.running(cost)])
    progress = Progress(cost)
    status = Status(
        output=cost.plan.out,
        folder=str(started.folder),
        controller=holder_of(Path(cost.plan.out, lock.NAME)),
        command=started.command,
        began=started.began,
        stages=list(_count_stages(progress)),
        share=progress.share_done(),
        remaining=progress.remaining(started),
        measured=bool(cost.factor.n),
    )
    last_run = events.of_last_run(events.read(status.output))
    _sort_jobs(status, progress, last_run)
    _count_again(status, progress, last_run)
    _ask_queue(status)
    return status


def _count_stages(progress: Progress) -> Iterator[StageCount]:
    """Yield the counts of each stage that the plan has."""
    every = Counter(job.stage for job in progress.all)
    left = Counter(job.stage for job in progress.todo)
    running = Counter(job.stage for job in progress.todo if progress.runs(job))
    for stage in STAGES:
        if every[stage]:
            done = every[stage] - left[stage]
            to_do = left[stage] - running[stage]
            yield StageCount(stage, every[stage], done, running[stage], to_do)


def _sort_jobs(status: Status, progress: Progress, last_run: list[events.Event]) -> None:
    """Name the jobs that run, that have failed since the start, and that were stopped."""
    last = events.by_job(last_run)
    for job in progress.todo:
        if progress.runs(job):
            status.running.append(_seen(progress, job))
            continue
        event = last.get(log(job), {"event": "finished"})  # it waits, or its result was deleted
        path = Path(_log(progress, job))
        holder = progress.holders.get(job)
        has_begun = event["event"] != "finished" and path.exists()
        if event["event"] == "failed" and event["error"]:
            status.failed.append(_seen(progress, job, f"{event['error']} ({path})"))
        elif has_begun and holder is None and status.lives:
            status.starting.append(_seen(progress, job))
        elif has_begun or holder or progress.steps(job).saved:
            status.left_behind.append(_seen(progress, job))


def _count_again(status: Status, progress: Progress, last_run: list[events.Event]) -> None:
    """Note how many jobs a working run makes again: the records of their old results are there.

    A job that has begun is left out: its record may be there before Snakemake counts it as done.
    """
    counts = [event for event in last_run if event["event"] == "progress"]
    if not status.lives or not counts:
        return
    begun = sum(event["event"] == "started" for event in events.by_job(last_run).values())
    left = counts[-1]["total"] - counts[-1]["done"] - 1  # without the rule `all`
    again = left - begun - len(progress.todo)
    if again > 0:
        status.notes.append(f"at least {again} jobs that count as done are made again")
        status.remaining = replace(status.remaining, bound="at least")


def _log(progress: Progress, job: Job) -> str:
    return f"{progress.plan.out}/{log(job)}.log"


def _seen(progress: Progress, job: Job, error: str = "") -> JobSeen:
    steps = progress.steps(job)
    holder = progress.holders.get(job)
    runs = progress.runs(job)
    return JobSeen(
        job=log(job).removeprefix("logs/").replace("/", " ", 1),  # its stage, and which of it
        log=_log(progress, job),
        holder=holder,
        age=max(0.0, time.time() - holder.since) if runs else None,
        step=steps.seen if runs else None,
        steps=steps.steps,
        saved=steps.saved,
        left=progress.left(job),
        error=error,
    )


def _ask_queue(status: Status) -> None:
    """Count what the cluster's queue holds of the last runs."""
    runs = events.unsettled(status.output)
    if not runs:
        return
    try:
        states = slurm.jobs_of([run["cluster"] for run in runs], PATIENCE)
        status.queue = dict(Counter(states.values()))
    except slurm.Unanswered as error:
        status.notes.append(f"the queue of the cluster is not known ({error})")


def whole(status: Status) -> bool:
    """Tell whether every job is done."""
    return all(count.done == count.jobs for count in status.stages)
