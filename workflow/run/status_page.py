"""The status of a run as a page of plain text, and as JSON."""

import json
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from semblance.counts import counted, duration, text_table
from workflow.run.status import JobSeen, Status
from workflow.terminal import Paint

NAMED = 10  # jobs of a kind that are named
HEAD = ["stage", "jobs", "done", "running", "queued", "failed", "time left"]
QUEUED = HEAD.index("queued")
UNKNOWN = "not known before 15 % of the work is done, and two trainings have run for a minute"
KINDS = {  # the state of a job: its title, and the colour of it
    "running": ("running", "bold"),
    "queued": ("in the queue of the cluster", "bold"),
    "failed": ("failed since the start", "red"),
    "stopped": ("stopped or killed", "yellow"),
}


def as_page(status: Status, paint: Paint, everything: bool = False) -> str:
    """Return the page, of a finished run one line if not ``everything``; ``paint`` colours parts of it."""
    jobs = sum(count["jobs"] for count in status.stages)
    if status.finished and not status.lives and not everything:
        state = _controller(status, paint)
        return f"{status.output}: {state}; {counted(jobs, 'job')} done (--all: each stage)"
    head, *stages = stage_table(status.stages)
    blocks = [list(_head(status, paint, jobs)), [paint(head, "bold"), *stages]]
    for state, (title, colour) in KINDS.items():
        some = [job for job in status.jobs if job.state == state]
        if some:
            lines = [f"{paint(title, colour)}:", *(f"  {describe(job)}" for job in some[:NAMED])]
            if len(some) > NAMED:
                lines.append(f"  and {counted(len(some) - NAMED, 'more job')} (--json names all)")
            blocks.append(lines)
    blocks.append(list(_end(status)))
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _head(status: Status, paint: Paint, jobs: int) -> Iterator[str]:
    yield f"{status.output}: {_controller(status, paint)}"
    yield f"  {status.command}"
    done = sum(count["done"] for count in status.stages)
    this_start = f"; {status.this_start}" if status.lives and status.this_start else ""
    yield f"done: {done:,} of {counted(jobs, 'job')}, {status.share:.0%} of the work{this_start}"
    if not status.finished and status.left is None:
        yield f"time left: {UNKNOWN}"
    elif not status.finished:
        source = f"measured by {counted(status.measured, 'job')}"
        queue = ", without the time in the queue" if status.on_cluster else ""
        yield f"time left: {about(status.left)}{queue} ({source})"


def about(left: tuple[float, float]) -> str:
    """Return from how long to how long something takes."""
    return "about " + " to ".join(dict.fromkeys(map(duration, left)))


def stage_table(stages: list[dict]) -> list[str]:
    """Return a line for each stage, below a head; the column of the queue where something is in it."""
    rows = [
        [count or "" for count in counts] + [duration(left) if left else ""]
        for *counts, left in map(dict.values, stages)
    ]
    if any(row[QUEUED] for row in rows):
        return text_table([HEAD, *rows])
    return text_table([row[:QUEUED] + row[QUEUED + 1 :] for row in [HEAD, *rows]])


def on_screen(status: Status, height: int) -> list[str]:
    """Return the lines of a terminal: the total, the stages at work, those that wait, those done."""
    kinds: dict[str, list[dict]] = {"at work": [], "waiting": [], "done": []}
    for stage in status.stages:
        begun = any(stage[key] for key in ("done", "running", "queued", "failed"))
        kind = "at work" if begun else "waiting"
        kinds["done" if stage["done"] == stage["jobs"] else kind].append(stage)
    rest = [
        f"{kind}: {counted(sum(stage['jobs'] for stage in stages), 'job')} of "
        + ", ".join(stage["stage"] for stage in stages)
        for kind in ("waiting", "done")
        if (stages := kinds[kind])
    ]
    at_work = stage_table(kinds["at work"]) if kinds["at work"] else []
    return [in_one_line(status), *at_work[: max(0, height - 2 - len(rest))], *rest]


def in_one_line(status: Status) -> str:
    """Return how far the jobs of a start are."""
    stages = status.stages
    keys = ("jobs", "done", "queued", "failed")
    jobs, done, queued, failed = (sum(stage[key] for stage in stages) for key in keys)
    running = [f"{stage['stage']} {stage['running']}" for stage in stages if stage["running"]]
    queue = " without the queue" if status.on_cluster else ""
    parts = [
        f"{done:,} of {counted(jobs, 'job')} done",
        f"{failed:,} failed" * bool(failed),
        f"{duration(time.time() - status.began)} passed",
        f"{about(status.left)}{queue} left" if status.left else "",
        f"running: {', '.join(running)}" * bool(running),
        f"{queued:,} in the queue" * bool(queued),
    ]
    return ", ".join(filter(None, parts))


def _controller(status: Status, paint: Paint) -> str:
    controller = status.controller
    clock = time.strftime("%Y-%m-%d %H:%M", time.localtime(status.began))
    if controller is None:
        state = paint("no run works here", "bold")
        if status.finished:
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


def describe(job: JobSeen) -> str:
    """Return what there is to say of one job."""
    parts = []
    if job.holder:
        parts.append(job.holder.describe())
    if job.error:
        parts.append(f"{job.error} ({job.log})")
    if job.state == "running":
        if job.age is not None:
            parts.append(f"for {duration(job.age)}")
        if job.step is not None:
            parts.append(f"step {job.step:,} of {job.steps:,}, about {duration(job.left)} left")
    elif job.state == "queued":
        parts.append(f"submitted {duration(job.age)} ago")
    elif job.saved is not None:
        parts.append(f"goes on at step {job.saved:,}, unless its settings or code have changed")
    else:
        parts.append("begins anew")
    return f"{job.job}: {', '.join(parts)}"


def _end(status: Status) -> Iterator[str]:
    if status.queue is not None:
        states = [f"{number} {state.lower()}" for state, number in sorted(status.queue.items())]
        yield f"in the queue of the cluster: {', '.join(states) or 'nothing'}"
    yield from (f"note: {note}" for note in status.notes)
    if not status.lives and not status.finished:
        if any(job.state == "running" for job in status.jobs):
            yield "these jobs still run without their controller; the next run waits for them"
        command = status.command
        if Path(status.folder) != Path.cwd():
            command = f"in {status.folder}: {command}"
        yield f"to go on: {command}"


def as_json(status: Status) -> str:
    facts = asdict(status) | {"finished": status.finished}
    jobs = facts.pop("jobs")
    facts |= {state: [job for job in jobs if job["state"] == state] for state in KINDS}
    return json.dumps(facts, sort_keys=True, ensure_ascii=False)
