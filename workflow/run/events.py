"""What happens in a run: one JSON object a line, appended to one file of the output folder.

The process that plans and starts the jobs writes it (``Writer``). Status, the terminal, the end of a
failed run and the next start read it (``History``). Snakemake's own log is written for people.

Each start appends a ``run``, whose ``cluster`` names its jobs on Slurm. Of a job there are
``started``, ``finished`` and ``failed`` with the reason; ``job`` is the path of its log without its
ending, as ``stages.log`` has it. ``progress`` counts the jobs that are done. ``settled`` says that no
job of the runs so far is left.
"""

import contextlib
import json
import logging
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from workflow.run.private import RUN_ID
from workflow.run.slurm import OUT_OF_MEMORY, cause_in, node_in, refusal_in, words_in

FILE = "logs/events.jsonl"  # below the output folder
LAST = 5  # lines of a failed job's log that are kept
PATIENCE = 0.5  # seconds that the last lines of a job may take to its log
REFUSED = "slurm/profile.yaml has what each job asks for"
NO_LOG = f"logs/run.log has what Snakemake said of it; {REFUSED}"
ERROR = "mend what the last line says; the same command goes on from here"
KILLED = (
    "the log tells of no error, so the job was probably killed (by a time limit, or for lack of"
    " memory): logs/run.log names the signal or the exit status; the same command goes on from here"
)
INTERRUPTED = "interrupted"  # the error of a script that Ctrl-C ended
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


class History:
    """What the events of an output folder say: of the jobs and their number, those of its last run.

    ``jobs`` has the last event of each job, ``seconds`` how long a finished one took from its start,
    and ``done`` of ``total`` what Snakemake counts.
    ``unsettled`` are the runs on a cluster of which jobs may be left.
    """

    def __init__(self, out: str | Path):
        self.unsettled: list[Event] = []
        self._forget_jobs()
        for line in text_of(Path(out, FILE)).splitlines():
            with contextlib.suppress(ValueError):  # a kill has cut it, or it is being written
                self._take(json.loads(line))

    def _forget_jobs(self) -> None:
        self.jobs: dict[str, Event] = {}
        self.seconds: dict[str, float] = {}
        self.done, self.total = 0, 0

    def _take(self, event: Event) -> None:
        match event["event"]:
            case "run":
                self._forget_jobs()
                if event["cluster"]:
                    self.unsettled.append(event)
            case "settled":
                self.unsettled = []
            case "progress":
                self.done, self.total = event["done"], event["total"]
            case what:
                before = self.jobs.get(event["job"], {})
                if what == "finished" and before.get("event") == "started":
                    self.seconds[event["job"]] = event["time"] - before["time"]
                self.jobs[event["job"]] = event


class Said(NamedTuple):
    """What an executor says of a failed submission: its words, the logs and the number of its job."""

    words: str
    logs: list[str]
    job: str | None


class Writer(logging.Handler):
    """Appends what Snakemake logs of jobs once the run has begun, which a dry run never does.

    ``out_of_memory`` counts for each job how often Slurm has ended it, or a job of its submission, for
    lack of memory.
    """

    def __init__(self, out: str):
        super().__init__()
        self.out = out
        self._cluster: str | None = None
        self._has_begun = False
        self._jobs: dict[int, Event] = {}
        self.out_of_memory: Counter[str] = Counter()

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
            case "job_info" if record.log:  # a target has none
                self._start(record)
            case "job_finished" if record.job_id in self._jobs:
                append(self.out, "finished", job=self._jobs[record.job_id]["job"])
            case "progress":
                append(self.out, "progress", done=record.done, total=record.total)
            case "job_error" if not record.indent:  # those of a group are indented
                said = Said(record.rule_msg or "", record.log[1:], record.aux.get("external_jobid"))
                self._fail(record.jobid, [record.jobid], said)
            case "group_error":
                members = [job["jobid"] for job in record.job_error_info]
                job = getattr(record, "external_jobid", None)
                said = Said(getattr(record, "rule_msg", "") or "", record.aux_logs, job)
                self._fail(first_unmade(record.job_error_info), members, said)

    def _start(self, record: logging.LogRecord) -> None:
        log = record.log[0]
        self._jobs[record.jobid] = {
            "job": log.removeprefix(f"{self.out}/").removesuffix(".log"),
            "rule": record.rule_name,
            "outputs": [_path(output) for output in record.output],
            "log": log,
        }
        append(self.out, "started", **self._jobs[record.jobid])

    def _fail(self, job_id: int | None, members: list[int], said: Said) -> None:
        """Append why a job of a submission failed; a target has no log, and is none of these jobs."""
        if job_id not in self._jobs:
            return
        job = self._jobs[job_id]
        own = text_of(job["log"])
        if not error_in(own):
            time.sleep(PATIENCE)
            own = text_of(job["log"])
        why = {"error": error_in(own), "last": own.strip().splitlines()[-LAST:], "cause": ""}
        if refusal := refusal_in(said.words):  # its log is of an earlier try
            why = {"error": refusal, "last": [], "cause": f"sbatch refused it: {refusal}"}
            why["advice"] = REFUSED
        elif said.logs:
            why |= _tell_by_slurm(own, said, job["rule"])
        elif own or self._cluster is None:
            why["advice"] = ERROR if why["error"] else KILLED
        else:
            why |= {"cause": "it did not begin", "advice": NO_LOG}
        if why["cause"].startswith(OUT_OF_MEMORY.name):
            self.out_of_memory.update(self._jobs[member]["job"] for member in members)
        append(self.out, "failed", **job, **why)


def _tell_by_slurm(own: str, said: Said, rule: str) -> Event:
    """Return why a job on Slurm failed, by its own log and by what Slurm says of it."""
    text = text_of(said.logs[0])
    cause = cause_in(f"{text}{own}{said.words}")
    words = words_in(text, cause)
    name = f"{cause.name}: {words}" if words and words not in own else cause.name
    return {
        "error": error_in(own) or name,
        "cause": name,
        "advice": cause.advice.format(rule=rule),
        "slurm_job": said.job or Path(said.logs[0]).stem,
        "node": node_in(f"{own}\n{text}"),
    }


def first_unmade(members: Iterable[Event]) -> int | None:
    """Return the id of that job of a failed group that has no output and waits for no other one."""
    unmade = [
        job for job in members if not all(Path(_path(file)).exists() for file in job["output"])
    ]
    missing = {_path(file) for job in unmade for file in job["output"]}
    ready = [job for job in unmade if not missing.intersection(map(_path, job["input"]))]
    return next((job["jobid"] for job in ready or unmade), None)


def _path(file: str) -> str:
    """Return a path as Snakemake logs it without what it says of the file, such as (temporary)."""
    return file.partition(" (")[0]


def text_of(path: str | Path) -> str:
    """Return the text of a log; of none, an empty one."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


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


def failed_jobs(history: History) -> list[Event]:
    """Return the last events of the jobs that failed; a job that Ctrl-C has ended did not."""
    failed = (event for event in history.jobs.values() if event["event"] == "failed")
    return [event for event in failed if event["error"] != INTERRUPTED]


def last_line(history: History) -> str:
    """Return the last line of the job that failed first; empty where none did."""
    lines = [
        f"{event['rule']}: {event['error']}" for event in failed_jobs(history) if event["error"]
    ]
    return "".join(lines[:1])


def failures(history: History) -> Iterator[str]:
    """Yield what to print of each job whose last try failed: what, why, and what to do."""
    for event in failed_jobs(history):
        head = f"failed: {event['rule']} {event['outputs'][0].rpartition('/')[0]}"
        if "slurm_job" in event:
            head += f" (Slurm job {event['slurm_job']} on node {event['node']})"
        if event["cause"]:
            head += f": {event['cause']}"
        lines = [f"    | {line}" for line in event["last"]]
        yield "\n".join([head, *lines, f"    try: {event['advice']}"])
