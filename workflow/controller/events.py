"""What happens in a run: one JSON object a line, appended to one file of the output folder.

The process that plans and starts the jobs writes it; status, causes of missing results, the end of
a failed run and the progress line read it. Snakemake's own log is written for people.

Each start appends a ``run``, whose ``cluster`` names its jobs on Slurm. Of a job there are
``started``, ``finished`` and ``failed`` with the reason; ``job`` is the path of its log without its
ending, as ``stages.log`` has it. ``progress`` counts the jobs that are done. ``settled`` says that no
job of the runs so far is left.
"""

import contextlib
import json
import logging
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from workflow.controller.slurm import Cause, cause_in, node_in

FILE = "logs/events.jsonl"  # below the output folder
RUN_ID = "SLURM run ID: "  # the message with which the executor names all its jobs
LAST = 5  # lines of a failed job's log that are kept
PATIENCE = 0.5  # seconds that the last lines of a job may take to its log
NO_LOG = "look above for the answer of sbatch; slurm/profile.yaml has what each job asks for"
ERROR = "mend what the last line says; the same command goes on from here"
NO_WORD = "Snakemake's lines above say what ended it; the same command goes on from here"
KILLED = (
    "the log tells of no error, so the job was probably killed (by a time limit, or for lack of"
    " memory): Snakemake's lines above name the signal or the exit status; the same command goes on"
    " from here"
)
Event = dict[str, Any]


def append(out: str | Path, event: str, **facts: object) -> None:
    """Append an event of now."""
    path = Path(out, FILE)
    path.parent.mkdir(parents=True, exist_ok=True)
    line = json.dumps({"event": event, "time": time.time(), **facts})
    if event == "run":
        line = f"\n{line}"  # behind a line that a killed run has not ended
    with open(path, "a", encoding="utf-8") as stream:
        stream.write(f"{line}\n")


def read(out: str | Path) -> list[Event]:
    """Return the events of all runs on an output folder."""
    return read_from(out, 0)[0]


def read_from(out: str | Path, start: int) -> tuple[list[Event], int]:
    """Return the events behind the first ``start`` bytes of the file, and where the next begin."""
    try:
        with open(Path(out, FILE), "rb") as stream:
            stream.seek(start)
            lines = stream.read()
    except OSError:
        return [], start
    lines = lines[: lines.rfind(b"\n") + 1]
    events = []
    for line in lines.splitlines():
        with contextlib.suppress(ValueError):  # a kill has cut it
            events.append(json.loads(line))
    return events, start + len(lines)


def of_last_run(events: list[Event]) -> list[Event]:
    """Return the events since the last start."""
    starts = [number for number, event in enumerate(events) if event["event"] == "run"]
    return events[max(starts, default=0) :]


def by_job(events: Iterable[Event]) -> dict[str, Event]:
    """Return the last event of each job."""
    return {event["job"]: event for event in events if "job" in event}


def unsettled(out: str | Path) -> list[Event]:
    """Return the runs on a cluster of which jobs may be left."""
    runs: list[Event] = []
    for event in read(out):
        if event["event"] == "settled":
            runs = []
        elif event["event"] == "run" and event["cluster"]:
            runs.append(event)
    return runs


class Writer(logging.Handler):
    """Appends what Snakemake logs of jobs once the run has begun, which a dry run never does."""

    def __init__(self, out: str):
        super().__init__()
        self.out = out
        self._cluster: str | None = None
        self._has_begun = False
        self._jobs: dict[int, Event] = {}

    def begin(self) -> None:
        """Append the run, with the name of its jobs on Slurm; None for a run on this machine.

        On a cluster a full disk ends the start: the next one has to know the jobs.
        """
        try:
            append(self.out, "run", cluster=self._cluster)
        except OSError:
            if self._cluster:
                raise
        self._has_begun = True

    def emit(self, record: logging.LogRecord) -> None:
        """Take what a record of Snakemake's logger says."""
        message = record.getMessage()
        if message.startswith(RUN_ID):
            self._cluster = message.removeprefix(RUN_ID)
        elif self._has_begun:
            try:
                self._append(record)
            except OSError:
                pass  # a full disk is reported elsewhere
            except Exception:  # such as of another Snakemake's records: the jobs go on
                self.handleError(record)

    def _append(self, record: logging.LogRecord) -> None:
        match getattr(record, "event", None):
            case "job_info":
                self._start(record)
            case "job_finished" if record.job_id in self._jobs:
                append(self.out, "finished", job=self._jobs[record.job_id]["job"])
            case "progress":
                append(self.out, "progress", done=record.done, total=record.total)
            case "job_error" if not record.indent:  # those of a group are indented
                slurm_log = next(iter(record.log[1:]), None)
                self._fail(record.jobid, slurm_log, record.aux.get("external_jobid"))
            case "group_error":
                slurm_log = next(iter(record.aux_logs), None)
                culprit = first_unmade(record.job_error_info)
                self._fail(culprit, slurm_log, getattr(record, "external_jobid", None))

    def _start(self, record: logging.LogRecord) -> None:
        if record.log:  # a target has none
            job = record.log[0].removeprefix(f"{self.out}/").removesuffix(".log")
            self._jobs[record.jobid] = {
                "job": job,
                "rule": record.rule_name,
                "wildcards": dict(record.wildcards),
                "outputs": [_path(output) for output in record.output],
                "log": record.log[0],
            }
            append(self.out, "started", **self._jobs[record.jobid])

    def _fail(self, job_id: int | None, slurm_log: str | None, slurm_job: str | None) -> None:
        if job_id in self._jobs:
            job = self._jobs[job_id]
            why = why_failed(job, slurm_log, slurm_job, on_slurm=self._cluster is not None)
            append(self.out, "failed", **job, **why)


def first_unmade(members: Iterable[Event]) -> int | None:
    """Return the id of that job of a failed group that has no output and waits for no other one."""
    unmade = [
        job for job in members if not all(Path(_path(file)).exists() for file in job["output"])
    ]
    missing = {_path(file) for job in unmade for file in job["output"]}
    ready = [job for job in unmade if not missing.intersection(map(_path, job["input"]))]
    return next((job["jobid"] for job in ready or unmade), None)


def text_of(path: str | Path) -> str:
    """Return the text of a log; of none, an empty one."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _path(file: str) -> str:
    """Return a path as Snakemake logs it without what it says of the file, such as (temporary)."""
    return file.partition(" (")[0]


def why_failed(
    job: Event, slurm_log: str | None, slurm_job: str | None, on_slurm: bool = True
) -> Event:
    """Return why a job failed, by the end of its own log and by what Slurm's log of it says.

    ``error`` is in one line, empty where nothing tells it; ``cause`` and ``advice`` are for people.
    """
    own = text_of(job["log"])
    if not error_in(own):
        time.sleep(PATIENCE)
        own = text_of(job["log"])
    error = error_in(own)
    why = {"error": error, "last": own.strip().splitlines()[-LAST:]}
    if slurm_log is None:
        return why | _without_slurm_log(own, error, on_slurm)
    text = text_of(slurm_log)
    cause: Cause = cause_in(f"{text}{own}")
    return why | {
        "error": error or cause.name,
        "cause": cause.name,
        "advice": cause.advice.format(rule=job["rule"]),
        "slurm_job": slurm_job or Path(slurm_log).stem,
        "node": node_in(f"{own}\n{text}"),
    }


def _without_slurm_log(log: str, error: str, on_slurm: bool) -> dict[str, str]:
    """Return cause and advice for a job of this machine, or one that Slurm has not begun."""
    if log:
        return {"cause": "", "advice": ERROR if error else KILLED}
    if on_slurm:
        return {"cause": "it did not begin", "advice": NO_LOG}
    return {"cause": "it ended without a word", "advice": NO_WORD}


def error_in(log: str) -> str:
    """Return the error with which a script's log ends, in one line; empty if it tells of none."""
    lines = [line.strip() for line in log.splitlines()]
    errors = [line for line in lines if line.startswith("error: ")]
    if errors:
        return errors[-1].removeprefix("error: ")
    if "Traceback (most recent call last):" not in lines:
        return ""
    # After a traceback in a job of Slurm's, one more line names the node.
    return next(line for line in reversed(lines) if line and not line.startswith("node "))


def failures(events: Iterable[Event]) -> Iterator[str]:
    """Yield what to print of each job whose last try failed: what, why, and what to do."""
    for event in by_job(events).values():
        if event["event"] == "failed":
            head = f"failed: {event['rule']} {event['outputs'][0].rpartition('/')[0]}"
            if "slurm_job" in event:
                head += f" (Slurm job {event['slurm_job']} on node {event['node']})"
            if event["cause"]:
                head += f": {event['cause']}"
            lines = [f"    | {line}" for line in event["last"]]
            yield "\n".join([head, *lines, f"    try: {event['advice']}"])
