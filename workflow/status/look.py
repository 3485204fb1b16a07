"""One look at a run: what runs where, what is done, what is left, what failed. Nothing is written."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from semblance.fetch.manifest import load_manifest
from workflow.controller import events, lock, slurm
from workflow.costing.model import Cost, measure
from workflow.planning.stages import STAGES, log
from workflow.status.progress import Holder, JobSeen, Progress, Remaining, holder_of
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
    cost = Cost(config, load_manifest(config.manifest))
    measure(cost)
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
        measured=bool(cost.measured),
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
    running = Counter(job.stage for job, seen in progress.todo.items() if seen.age is not None)
    for stage in STAGES:
        if every[stage]:
            done = every[stage] - left[stage]
            to_do = left[stage] - running[stage]
            yield StageCount(stage, every[stage], done, running[stage], to_do)


def _sort_jobs(status: Status, progress: Progress, last_run: list[events.Event]) -> None:
    """Name the jobs that run, that have failed since the start, and that were stopped."""
    last = events.by_job(last_run)
    for job, seen in progress.todo.items():
        if seen.age is not None:
            status.running.append(seen)
            continue
        event = last.get(log(job), {"event": "finished"})  # it waits, or its result was deleted
        has_begun = event["event"] != "finished" and Path(seen.log).exists()
        if event["event"] == "failed" and event["error"]:
            status.failed.append(replace(seen, error=f"{event['error']} ({seen.log})"))
        elif has_begun and seen.holder is None and status.lives:
            status.starting.append(seen)
        elif has_begun or seen.holder or seen.saved:
            status.left_behind.append(seen)


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
