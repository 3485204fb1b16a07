"""Why a job has no result, by the events of the runs."""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal, NamedTuple

from workflow.controller.events import Event, by_job
from workflow.planning.plan import Plan
from workflow.planning.stages import Job, log


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
