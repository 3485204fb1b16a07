"""What the logs of failed batch jobs say: the node, the cause, the last lines, what to do."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SLURM_LOGS = ".snakemake/slurm_logs"  # Snakemake deletes the logs of jobs that went well
LAST = 5  # lines of the job's own log that are shown


class Cause(NamedTuple):
    """A cause of failure: the pattern that shows it in a log, its name, and what to do."""

    pattern: str
    name: str
    advice: str


AGAIN = "start again: trainings go on from their last checkpoint"
MORE_TIME = "for longer jobs, set runtime of {rule} under set-resources in slurm/profile.yaml"
CAUSES = (  # the first whose pattern is found is the cause
    Cause(
        r"oom-kill|Out Of Memory|exceeded.*memory limit",
        "out of memory",
        "each try asks for more; to begin higher, set mem_mb of {rule} under set-resources in"
        " slurm/profile.yaml",
    ),
    Cause(
        r"DUE TO TIME LIMIT",
        "its time was up before it could save",
        f"{AGAIN}; {MORE_TIME}",
    ),
    Cause(r"DUE TO PREEMPTION", "preempted by a job of higher priority", AGAIN),
    Cause(
        r"DUE TO NODE FAILURE|Node failure",
        "the node failed",
        "start again; to leave a node out: --slurm-exclude-failed-nodes NODE",
    ),
    Cause(r"CANCELLED AT", "cancelled (by scancel, or by the site)", AGAIN),
    Cause(
        r"\bout of time at step",
        "its time was up; it saved first",
        f"start again: it goes on from there; {MORE_TIME}",
    ),
    Cause(
        r"no GPU that this job can use",
        "it has no GPU that it can use",
        "name the GPUs of your cluster in slurm/profile.yaml, or set resources.gpus: 0 to run on"
        " the CPU; docs/cluster.md says more",
    ),
    Cause(
        r"another process writes here",
        "another job trains into the same folder",
        "wait for that job, or scancel it",
    ),
)
UNKNOWN = Cause(
    "",
    "it ended with an error",
    "its last lines say why; the same command goes on from here",
)
RULE = re.compile(r"^\s*(?:local)?rule (\w+):", re.MULTILINE)
OUTPUT = re.compile(r"^\s*output: (\S+?)(?:,|$)", re.MULTILINE)  # the first of each rule
LOG = re.compile(r"^\s*log: (\S+?)(?:,| \(|$)", re.MULTILINE)
ERROR = re.compile(r"^error: (.+)", re.MULTILINE)  # as workflow.scripts.endings writes it
NODES = (  # how a log names the job's node
    re.compile(r"^node (\S+), Slurm job", re.MULTILINE),
    re.compile(r"slurmstepd-(\w[\w.-]*):"),
    re.compile(r"\bON (\w[\w.-]*) CANCELLED"),
    re.compile(r"srun: error: (\w[\w.-]*): task"),
)


class Failure(NamedTuple):
    """One job that did not make its output."""

    job: str
    rule: str
    what: str
    node: str
    cause: str
    advice: str
    last: list[str]


def report(logs: str | Path, since: float) -> str:
    """Return what to print about the failed jobs, or an empty text."""
    last_tries = {(failure.rule, failure.what): failure for failure in failures(logs, since)}
    lines: list[str] = []
    for failure in last_tries.values():
        lines += _format_failure(failure)
    return "\n".join(lines)


def failures(logs: str | Path, since: float) -> Iterator[Failure]:
    """Yield the failed jobs of a run that began at ``since``, by the time of their logs.

    Those are the jobs whose Slurm log is kept and whose output is missing.
    """
    by_time = sorted((path.stat().st_mtime, path) for path in Path(logs).rglob("*.log"))
    for written, path in by_time:
        if written < since:
            continue
        failure = _read_log(path)
        if failure is not None:
            yield failure


def _read_log(path: Path) -> Failure | None:
    """Return the failure that a job's Slurm log tells of; None if a later try made the output."""
    text = _text_of(path)
    rules = RULE.findall(text)
    outputs = OUTPUT.findall(text)
    missing = [number for number, output in enumerate(outputs) if not Path(output).exists()]
    if rules and not missing:
        return None
    number = next(iter(missing), 0)  # in a group of jobs: of the one that failed
    rule = _item(rules, number, "?")
    what = "before it began"
    if outputs:
        what = outputs[number].rpartition("/")[0]
    own_log = _text_of(Path(_item(LOG.findall(text), number, "")))
    cause = _cause(text + own_log)
    return Failure(
        job=path.stem,
        rule=rule,
        what=what,
        node=_last_node(own_log + "\n" + text),
        cause=cause.name,
        advice=cause.advice.format(rule=rule),
        last=own_log.strip().splitlines()[-LAST:],
    )


def error_in(log: str) -> str:
    """Return the error with which a script's log ends, in one line; empty if it tells of none."""
    told = ERROR.findall(log)
    if told:
        return told[-1]
    if "Traceback (most recent call last)" not in log:
        return ""
    lines = [line.strip() for line in log.splitlines() if not NODES[0].match(line)]
    return next(line for line in reversed(lines) if line)


def _text_of(path: Path) -> str:
    if not path.is_file():
        return ""
    return path.read_text(encoding="utf-8", errors="replace")


def _item(items: list[str], number: int, default: str) -> str:
    if number < len(items):
        return items[number]
    return default


def _cause(text: str) -> Cause:
    for cause in CAUSES:
        if re.search(cause.pattern, text):
            return cause
    return UNKNOWN


def _last_node(text: str) -> str:
    """Return the node that is named last: a job that is started again may change its node."""
    found = [match for pattern in NODES for match in pattern.finditer(text)]
    if not found:
        return "unknown"
    return max(found, key=lambda match: match.start())[1]


def _format_failure(failure: Failure) -> list[str]:
    place = f"Slurm job {failure.job} on node {failure.node}"
    head = f"failed: {failure.rule} {failure.what} ({place}): {failure.cause}"
    shown = [f"    | {line}" for line in failure.last]
    return [head, *shown, f"    try: {failure.advice}"]
