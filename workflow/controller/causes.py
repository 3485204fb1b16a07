"""Why a job has no result: the jobs that it waits for, and what their logs say. Nothing is written.

A job is done if its record is there, and if no job without a result that it reads was started
since. Whether Snakemake would make it again for other reasons is not asked.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

from semblance.counts import counted
from workflow.controller.failures import SLURM_LOGS, Failure, error_in, failures
from workflow.planning.plan import Plan
from workflow.planning.stages import Job, inputs, log, record

State = Literal["failed", "not finished", "not started"]
WORDS = {"failed": "failed", "not finished": "has not finished"}
NAMED = 10  # so many causes are named in a text, the rest counted


class Cause(NamedTuple):
    """A job without a result, all of whose inputs are there; ``detail`` says more of its state."""

    name: str
    state: State
    detail: str = ""


class Causes:
    """Finds the causes of missing results of one plan; each job and log is looked at once.

    A log that was last written before ``since``, in seconds since the epoch, tells nothing.
    """

    def __init__(self, plan: Plan, since: float = 0.0):
        self.plan = plan
        self.since = since
        self._waits: dict[Job, tuple[Job, ...]] = {}
        self._causes: dict[Job, Cause] = {}

    def of(self, wanted: Iterable[Job]) -> list[Cause]:
        """Return why jobs have no result, each cause once; empty if all have theirs."""
        found = dict.fromkeys(first for job in wanted for first in self._first_missing(job))
        return [self.cause(job) for job in found]

    def _first_missing(self, job: Job) -> tuple[Job, ...]:
        """Return the jobs to be done before a job, or itself, that wait for no other job."""
        if job not in self._waits:
            sources = inputs(self.plan, job)
            found = dict.fromkeys(first for s in sources for first in self._first_missing(s))
            done = _modified(Path(record(self.plan, job)))
            if done is None:
                self._waits[job] = tuple(found) or (job,)
            else:
                self._waits[job] = tuple(first for first in found if self._started(first) > done)
        return self._waits[job]

    def _started(self, job: Job) -> float:
        """Return when a job was last known to run; 0.0 if it has no log."""
        return _modified(self._log(job)) or 0.0

    def _log(self, job: Job) -> Path:
        return Path(self.plan.out, f"{log(job)}.log")

    def cause(self, job: Job) -> Cause:
        """Return why a job without a result has none, by its own log and that of its batch job."""
        if job not in self._causes:
            self._causes[job] = self._read_log(job)
        return self._causes[job]

    def _read_log(self, job: Job) -> Cause:
        name = job_name(job)
        path = self._log(job)
        failure = self._batch_failures.get(str(Path(record(self.plan, job)).parent))
        told = self._text_since(path)
        if told is None and failure is None:
            return Cause(name, "not started")
        error = error_in(told or "")
        if failure and not error:
            error = failure.cause
        if error:
            return Cause(name, "failed", f"{error} ({path})")
        return Cause(name, "not finished", f"it runs now, or it was killed ({path})")

    def _text_since(self, path: Path) -> str | None:
        """Return the text of a log that was written since then; None if there is none."""
        try:
            if path.stat().st_mtime < self.since:
                return None
            return path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None

    @cached_property
    def _batch_failures(self) -> dict[str, Failure]:
        """The last failure of each batch job since then, by the folder of its output."""
        return {failure.what: failure for failure in failures(SLURM_LOGS, self.since)}


def _modified(path: Path) -> float | None:
    """Return when a file was last written; None if there is none."""
    try:
        return path.stat().st_mtime
    except OSError:
        return None


def job_name(job: Job) -> str:
    """Return a job as a person calls it: its stage, and the run, data set or bank."""
    return log(job).removeprefix("logs/").replace("/", " ", 1)


def format_causes(causes: Mapping[Cause, Iterable[str]], rows: int = 0) -> Iterator[str]:
    """Yield a line for each cause that a log tells of, and one for all jobs that did not start.

    ``causes`` maps each cause to the labels of the table rows that lack scores because of it;
    ``rows`` counts all rows of the table.
    """
    waiting = [cause for cause in causes if cause.state == "not started"]
    told = [cause for cause in causes if cause.state != "not started"]
    for cause in told[:NAMED]:
        where = _format_rows(causes[cause], rows)
        yield f"{cause.name} {WORDS[cause.state]}: {cause.detail}{where}"
    if len(told) > NAMED:
        yield f"{counted(len(told) - NAMED, 'more job')} failed or did not finish"
    if waiting:
        named = ", ".join(cause.name for cause in waiting[:NAMED])
        if len(waiting) > NAMED:
            named += f" and {len(waiting) - NAMED} more"
        where = _format_rows([label for cause in waiting for label in causes[cause]], rows)
        yield f"not started: {named}{where}"


def _format_rows(labels: Iterable[str], rows: int) -> str:
    """Say which of a table's rows lack scores."""
    found = [f"“{label}”" for label in dict.fromkeys(labels)]
    if not found:
        return ""
    if len(found) == rows:
        return "; n/a in every row"
    return f"; n/a in {', '.join(found)}"
