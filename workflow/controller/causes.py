"""Why a job has no result: the jobs that it waits for, and what happened to them. Nothing is written.

A job is done if its record is there, and if no job without a result that it reads was started
since. Whether Snakemake would make it again for other reasons is not asked.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from semblance.counts import counted
from workflow.controller.events import Event, by_job
from workflow.planning.plan import Plan
from workflow.planning.stages import Job, inputs, log, record

WORDS = {"failed": "failed", "not finished": "has not finished"}
NAMED = 10  # so many causes are named in a text, the rest counted


class Cause(NamedTuple):
    """A job without a result, all of whose inputs are there; ``detail`` says more of its state."""

    name: str
    state: Literal["failed", "not finished", "not started"]
    detail: str = ""


class Causes:
    """Finds the causes of missing results of one plan, by the ``events`` of its runs."""

    def __init__(self, plan: Plan, events: Iterable[Event]):
        self.plan = plan
        self._last = by_job(events)
        self._waits: dict[Job, tuple[Job, ...]] = {}

    def of(self, wanted: Iterable[Job]) -> list[Cause]:
        """Return why jobs have no result, each cause once; empty if all have theirs."""
        found = dict.fromkeys(first for job in wanted for first in self._first_missing(job))
        return [self.cause(job) for job in found]

    def _first_missing(self, job: Job) -> tuple[Job, ...]:
        """Return the jobs to be done before a job, or itself, that wait for no other job."""
        if job not in self._waits:
            sources = inputs(self.plan, job)
            found = dict.fromkeys(first for s in sources for first in self._first_missing(s))
            path = Path(record(self.plan, job))
            if path.is_file():
                done = path.stat().st_mtime
                self._waits[job] = tuple(first for first in found if self._began(first) > done)
            else:
                self._waits[job] = tuple(found) or (job,)
        return self._waits[job]

    def _began(self, job: Job) -> float:
        """Return when a job was last known to run; 0.0 if it never did."""
        return self._last.get(log(job), {"time": 0.0})["time"]

    def cause(self, job: Job) -> Cause:
        """Return why a job without a result has none."""
        name = job_name(job)
        event = self._last.get(log(job), {"event": "finished"})
        path = Path(self.plan.out, f"{log(job)}.log")
        if event["event"] == "failed" and event["error"]:
            return Cause(name, "failed", f"{event['error']} ({path})")
        if event["event"] == "finished" or not path.exists():
            return Cause(name, "not started")  # it waits, or its result was deleted
        return Cause(name, "not finished", f"it runs now, or it was killed ({path})")


def job_name(job: Job) -> str:
    """Return a job as a person calls it: its stage, and the run, data set or bank."""
    return log(job).removeprefix("logs/").replace("/", " ", 1)


def format_causes(causes: Sequence[Cause]) -> Iterator[str]:
    """Yield a line for each cause that is known, and one for all jobs that did not start."""
    waiting = [cause.name for cause in causes if cause.state == "not started"]
    known = [cause for cause in causes if cause.state != "not started"]
    for cause in known[:NAMED]:
        yield f"{cause.name} {WORDS[cause.state]}: {cause.detail}"
    if len(known) > NAMED:
        yield f"{counted(len(known) - NAMED, 'more job')} failed or did not finish"
    if waiting:
        named = ", ".join(waiting[:NAMED])
        if len(waiting) > NAMED:
            named += f" and {len(waiting) - NAMED} more"
        yield f"not started: {named}"
