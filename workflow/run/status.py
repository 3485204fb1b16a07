"""One look at a run: what runs where, what is done, what is left, what failed.

It counts records and events, and prices what is left. Nothing is written, and no lock is tried.
"""

import functools
import os
import re
import socket
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import psutil

from semblance.fetch.manifest import load_manifest
from semblance.locks import Lease, decoded, name_for
from workflow.planning.stages import STAGES, Job, inputs, log, record
from workflow.run import events, lock, slurm
from workflow.run.costs import Cost, measure
from workflow.run.started import Started

CLOCK = 2.0  # seconds that the clocks of a process table and of a disk may differ
GPUS = Path("/proc/driver/nvidia/gpus")  # a folder for each GPU of this machine
CHECKPOINTS = "checkpoints/*/step-*"  # in the folder of a training
# What semblance.training.keeping.log prints of a running training.
PROGRESS = re.compile(r": step (\d+) of (\d+), loss \S+, ([\d.e+-]+) steps/s, ")
EARLIEST = 0.15  # of the work, that must be done before a time left is said
ERROR = 0.4  # of predictions: with it real runs ended in the range at 126 of 139 looks
MINUTE = 60.0  # seconds after which the steps of a training tell its pace
PATIENCE = 5.0  # seconds for an answer of Slurm's


@dataclass(frozen=True)
class Holder:
    """The process that wrote a lease last, and has not ended it.

    ``job`` is its Slurm job, or empty. ``silent``: the seconds since its last beat. ``state``:
    ``dead`` for a process of this machine that is gone, ``silent`` for one of another machine
    without a beat for long.
    """

    host: str
    pid: int
    job: str
    silent: float
    state: Literal["alive", "silent", "dead"]

    def describe(self) -> str:
        """Return the process as a person finds it."""
        slurm_job = f"Slurm job {self.job}, " if self.job else ""
        return f"{self.host}, {slurm_job}pid {self.pid}"


def holder_of(path: str | Path) -> Holder | None:
    """Return the holder by the locked file; None where the last one ended well, or nobody was."""
    path = Path(path)
    try:
        lease = decoded(path.read_bytes())
        beaten = path.stat().st_mtime
    except OSError:
        return None
    if not lease:
        return None
    silent = max(0.0, time.time() - beaten)
    if lease["host"] == socket.gethostname():
        state = "alive" if _was_there(lease["pid"], beaten) else "dead"
    else:
        state = "alive" if silent < Lease.WATCH else "silent"
    return Holder(lease["host"], lease["pid"], lease["job"], silent, state)


def _was_there(pid: int, beaten: float) -> bool:
    """Tell whether a process of this machine works, and did at a beat: a later one has its number."""
    try:
        process = psutil.Process(pid)
        is_over = process.status() == psutil.STATUS_ZOMBIE  # only its exit status is left
        return not is_over and process.create_time() <= beaten + CLOCK
    except psutil.Error:
        return False


@dataclass
class JobSeen:
    """A job without a result. None or empty: not known.

    ``state`` is ``waiting`` until it begins, ``queued`` from its submission to a cluster until a process
    makes it, and ``stopped`` once nobody does any longer.
    ``step`` is the last one of a training, ``saved`` the one that it would go on from.
    """

    job: str  # its stage, and which of it
    log: str
    holder: Holder | None
    saved: int | None
    left: float  # seconds
    state: Literal["waiting", "queued", "running", "failed", "stopped"] = "waiting"
    age: float | None = None  # seconds since it began, or was submitted
    step: int | None = None
    steps: int | None = None
    error: str = ""


Seen = dict[Job, JobSeen]


@dataclass
class Status:
    """What there is to say of a run."""

    output: str  # counts from ``folder``
    folder: str
    controller: Holder | None  # None if the last one was not killed
    lives: bool  # whether a controller is known to work
    command: str
    began: float  # seconds since the epoch
    stages: list[dict]  # of each: how many jobs, done, running, queued, failed; its seconds left
    share: float  # of the work, that is done
    # Seconds until the end, if nothing fails: from and to; None before enough is done.
    left: tuple[float, float] | None
    on_cluster: bool
    measured: int  # jobs of this run by which times are predicted
    jobs: list[JobSeen]  # that have begun
    this_start: str = ""
    queue: dict[str, int] | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def finished(self) -> bool:
        return all(count["done"] == count["jobs"] for count in self.stages)


def look(started: Started, these: Sequence[Job] = ()) -> Status:
    """Return the state of a run; call it in the run's working folder.

    Of ``these`` jobs, which a start makes, some again, those are done that have finished in it; of all
    jobs, without them, those that have a record.
    """
    cost = Cost(started.config, load_manifest(started.config.manifest))
    out = cost.plan.out
    controller = holder_of(Path(out, lock.NAME))
    lives = controller is not None and controller.state == "alive"
    history = events.History(out)
    every = these or cost.jobs()
    waiting = [job for job in every if not Path(record(cost.plan, job)).is_file()]
    if these:
        finished = {job for job, event in history.jobs.items() if event["event"] == "finished"}
        waiting = [job for job in these if log(job) not in finished]
    on_cluster = started.at_a_time is not None
    # On a cluster a job starts with its submission.
    seconds = {} if on_cluster else history.seconds
    measure(cost, since=started.began if lives else 0.0, seconds=seconds)
    if lives:
        _learn_from_running(cost, waiting, history)
    seen = {job: _see(cost, job, history.jobs.get(log(job)), lives, on_cluster) for job in waiting}
    everything = sum(map(cost.seconds, every))
    share = max(0.0, 1 - sum(job.left for job in seen.values()) / everything)
    is_known = not seen or (share >= EARLIEST and cost.can_predict(seen))
    status = Status(
        output=out,
        folder=str(started.folder),
        controller=controller,
        lives=lives,
        command=started.command,
        began=started.began,
        stages=_count_stages(cost, every, seen, started),
        share=share,
        left=range_left(cost, seen, started) if is_known else None,
        on_cluster=on_cluster,
        measured=len(cost.measured),
        jobs=[job for job in seen.values() if job.state != "waiting"],
    )
    if history.total:  # Snakemake's count, with what it makes again
        status.this_start = f"{history.done:,} of {history.total:,} jobs of this start"
    if history.unsettled and not these:  # a run asks by itself
        try:
            states = slurm.jobs_of([run["cluster"] for run in history.unsettled], PATIENCE)
            status.queue = dict(Counter(states.values()))
        except slurm.Unanswered as error:
            status.notes.append(f"the queue of the cluster is not known ({error})")
    return status


def _learn_from_running(cost: Cost, waiting: list[Job], history: events.History) -> None:
    """Learn the pace of the trainings that have run for a minute and go on."""
    for job in waiting:
        event = history.jobs.get(log(job), {})
        if event.get("event") == "started" and time.time() - event["time"] > MINUTE:
            line = last_progress(f"{cost.plan.out}/{log(job)}.log")
            if line:
                step, steps, rate = line
                cost.learn(job, step / rate, step / steps)


def _count_stages(cost: Cost, every: Sequence[Job], seen: Seen, started: Started) -> list[dict]:
    """Return the numbers of jobs of each stage that the plan has, and the seconds that it still takes."""
    jobs = Counter(job.stage for job in every)
    states = Counter((job.stage, what.state) for job, what in seen.items())
    left = {stage: {job: seen[job] for job in seen if job.stage == stage} for stage in jobs}
    can_predict = cost.can_predict(seen)
    return [
        {
            "stage": stage,
            "jobs": jobs[stage],
            "done": jobs[stage] - len(left[stage]),
            "running": states[stage, "running"],
            "queued": states[stage, "queued"],
            "failed": states[stage, "failed"],
            "left": time_left(cost, left[stage], started) if can_predict else None,
        }
        for stage in STAGES
        if jobs[stage]
    ]


def _see(
    cost: Cost, job: Job, event: events.Event | None, lives: bool, on_cluster: bool
) -> JobSeen:
    """Return how far a job without a record is: by its last event, its lease, its log, its checkpoints."""
    path = Path(record(cost.plan, job))
    log_file = f"{cost.plan.out}/{log(job)}.log"
    holder = holder_of(path.parent / name_for(path))
    what = event["event"] if event else ""
    saved = max(path.parent.glob(CHECKPOINTS), key=lambda step: step.name, default=None)
    seen = JobSeen(
        job=log(job).removeprefix("logs/").replace("/", " ", 1),
        log=log_file,
        holder=holder,
        saved=saved and int(saved.name.removeprefix("step-")),
        left=cost.seconds(job),
    )
    is_made = holder is not None and holder.state == "alive"
    if is_made or (what == "started" and lives):
        is_queued = on_cluster and not is_made and not STAGES[job.stage].local
        seen.state = "queued" if is_queued else "running"
        seen.age = max(0.0, time.time() - event["time"]) if event else None
    elif what == "failed" and event["error"] != events.INTERRUPTED:
        seen.state = "failed"
        seen.error = event["error"] or event["cause"]
    elif what in ("started", "failed") or holder or saved:
        seen.state = "stopped"
    rate = 0.0
    if seen.state != "waiting" and (line := last_progress(log_file)):
        seen.step, seen.steps, rate = line
        seen.left *= max(0.0, 1 - (seen.saved or 0) / seen.steps)
    if is_made:
        seen.left = max(0.0, seen.left - (seen.age or 0.0))
        if rate:
            seen.left = (seen.steps - seen.step) / rate
    return seen


def last_progress(path: str) -> tuple[int, int, float] | None:
    """Return step, all steps and steps a second by the last line of progress in a training's log."""
    lines = PROGRESS.findall(events.text_of(path))
    if not lines:
        return None
    step, steps, rate = lines[-1]
    return int(step), int(steps), float(rate)


def time_left(cost: Cost, seen: Seen, started: Started) -> float:
    """Return the seconds that jobs to do take at least, without the time in a queue."""
    return max(_bounds(cost, seen, started)[:2])


def range_left(cost: Cost, seen: Seen, started: Started) -> tuple[float, float]:
    """Return the seconds from which to which the end is likely, without the time in a queue.

    No order of jobs takes less than either bound, and none that leaves no place free takes more than
    their sum, the chain less its own place (Graham 1969); beside it, ERROR for the predictions.
    """
    longest, spread_out, places = _bounds(cost, seen, started)
    most = spread_out + longest * (1 - 1 / max(1, places))
    return (1 - ERROR) * max(longest, spread_out), (1 + ERROR) * max(longest, most)


def _bounds(cost: Cost, seen: Seen, started: Started) -> tuple[float, float, int]:
    """Return the longest chain of jobs that wait for each other, and what the places for jobs allow.

    These are all cores and all GPUs of a machine, or on a cluster the largest number of jobs at a
    time; their number is the third.
    """

    @functools.cache
    def until_end(job: Job) -> float:
        waits_for = [other for other in inputs(cost.plan, job) if other in seen]
        return seen[job].left + max(map(until_end, waits_for), default=0.0)

    longest = max(map(until_end, seen), default=0.0)
    if started.at_a_time is not None:
        submitted = [what.left for job, what in seen.items() if not STAGES[job.stage].local]
        return longest, sum(submitted) / started.at_a_time, started.at_a_time
    cores = started.cores or len(os.sched_getaffinity(0))
    gpus = max(1, sum(1 for _ in GPUS.glob("*")))
    places = [(what.left, cost.places[job.stage]) for job, what in seen.items()]
    on_cores = sum(left * min(place.cores, cores) for left, place in places)
    on_gpus = sum(left for left, place in places if place.machine == "gpu")
    return longest, max(on_cores / cores, on_gpus / gpus), cores
