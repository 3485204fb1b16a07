"""The status of a run as a page of plain text, and as JSON."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

from semblance.counts import counted, duration
from workflow.status.look import Status, whole
from workflow.status.progress import Holder, JobSeen
from workflow.terminal import Paint

NAMED = 10  # jobs of a kind that are named
ROW = "{:20}  {:>6}  {:>6}  {:>7}  {:>6}"
HEAD = ("stage", "jobs", "done", "running", "to do")


def as_page(status: Status, paint: Paint, everything: bool = False) -> str:
    """Return the page, of a finished run one line if not ``everything``; ``paint`` colours parts of it."""
    if whole(status) and not status.lives and not everything:
        jobs = counted(sum(count.jobs for count in status.stages), "job")
        return f"{status.output}: {_controller(status, paint)}; {jobs} done (--all: each stage)"
    stages = [paint(ROW.format(*HEAD), "bold")]
    for count in status.stages:
        numbers = (count.jobs, count.done, count.running, count.to_do)
        stages.append(ROW.format(count.stage, *(f"{number:,}" for number in numbers)))
    blocks = [
        list(_head(status, paint)),
        stages,
        _jobs(paint("running", "bold"), status.running, _running_line),
        _jobs(
            paint("starting", "bold"),
            status.starting,
            lambda job: f": no process has begun to write yet ({job.log})",
        ),
        _jobs(
            paint("failed since the start", "red"),
            status.failed,
            lambda job: f": {job.error}{_goes_on(job)}",
        ),
        _jobs(paint("stopped or killed", "yellow"), status.left_behind, _stopped_line),
        list(_end(status)),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _head(status: Status, paint: Paint) -> Iterator[str]:
    yield f"{status.output}: {_controller(status, paint)}"
    if status.command:
        yield f"  {status.command}"
    done = sum(count.done for count in status.stages)
    jobs = sum(count.jobs for count in status.stages)
    yield f"done: {done:,} of {counted(jobs, 'job')}, {status.share:.0%} of the work"
    if not whole(status):
        source = "estimated rates"
        if status.measured:
            source = "measured rates where there are any"
        left = status.remaining
        yield f"time left: {left.bound} {duration(left.seconds)}: {left.meaning} ({source})"


def _controller(status: Status, paint: Paint) -> str:
    controller = status.controller
    clock = time.strftime("%Y-%m-%d %H:%M", time.localtime(status.began))
    if controller is None:
        state = paint("no run works here", "bold")
        if whole(status):
            state = paint("finished", "green")
        return f"{state}; the last one began at {clock}"
    who = controller.describe()
    if controller.state == "dead":
        return f"{paint('the run was killed', 'red')} ({who}); it began at {clock}"
    if controller.state == "silent":
        state = paint(f"no sign of life for {duration(controller.silent)}", "red")
        return f"{state} of the run ({who}), which began at {clock}"
    age = duration(max(0.0, time.time() - status.began))
    return f"{paint('a run works', 'green')} ({who}) since {clock}, for {age}"


def _jobs(title: str, jobs: list[JobSeen], line: Callable[[JobSeen], str]) -> list[str]:
    """Return a titled list of the first jobs of a kind, the others counted."""
    if not jobs:
        return []
    lines = [f"{title}:", *(f"  {job.job}{line(job)}" for job in jobs[:NAMED])]
    if len(jobs) > NAMED:
        lines.append(f"  and {counted(len(jobs) - NAMED, 'more job')} (--json names all)")
    return lines


def _running_line(job: JobSeen) -> str:
    parts = [_who(job.holder), f"for {duration(job.age)}"]
    if job.step is not None:
        parts.append(f"step {job.step:,} of {job.steps:,}")
    elif job.saved is not None:
        parts.append(f"saved at step {job.saved:,}")
    if job.left:
        parts.append(f"about {duration(job.left)} left")
    return f": {', '.join(parts)}"


def _stopped_line(job: JobSeen) -> str:
    was = ""
    if job.holder is not None:
        was = f", was made by {_who(job.holder)}"
    return f"{was}{_goes_on(job) or '; begins anew'}"


def _goes_on(job: JobSeen) -> str:
    if job.saved is None:
        return ""
    return f"; goes on at step {job.saved:,}, unless its settings or code have changed"


def _who(holder: Holder) -> str:
    if holder.state == "silent":
        return f"{holder.describe()}, silent for {duration(holder.silent)}"
    return holder.describe()


def _end(status: Status) -> Iterator[str]:
    if status.queue is not None:
        states = [f"{number} {state.lower()}" for state, number in sorted(status.queue.items())]
        yield f"in the queue of the cluster: {', '.join(states) or 'nothing'}"
    yield from (f"note: {note}" for note in status.notes)
    if not status.lives and not whole(status):
        if status.running:
            yield "these jobs still run without their controller; the next run keeps what they make"
        command = status.command or "the command of the last run again"
        if Path(status.folder) != Path.cwd():
            command = f"in {status.folder}: {command}"
        yield f"to go on: {command}"


def as_json(status: Status) -> str:
    """Return the status as one line of JSON."""
    found = asdict(status) | {"lives": status.lives, "finished": whole(status)}
    return json.dumps(found, sort_keys=True, ensure_ascii=False)
