"""What a failed batch job left to say, told where the user looks: its node, its last words, what to try."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

LAST = 5  # lines of its own log that are shown
CAUSES = (  # the first that a job's log bears, why, and what to try
    (
        r"oom-kill|Out Of Memory|exceeded.*memory limit",
        "out of memory",
        "each try asks for more; to begin higher, set mem_mb of {rule} under set-resources in slurm/profile.yaml",
    ),
    (
        r"DUE TO TIME LIMIT",
        "its time was up before it could save",
        "start again: trainings go on from their last checkpoint; for longer jobs, set runtime of"
        " {rule} under set-resources in slurm/profile.yaml",
    ),
    (
        r"DUE TO PREEMPTION",
        "preempted by a job of higher priority",
        "start again: trainings go on from their last checkpoint",
    ),
    (
        r"DUE TO NODE FAILURE|Node failure",
        "the node failed",
        "start again; to leave a node out: --slurm-exclude-failed-nodes NODE",
    ),
    (
        r"CANCELLED AT",
        "cancelled (scancel, or the site)",
        "start again: trainings go on from their last checkpoint",
    ),
    (
        r"\bout of time at step",
        "its time was up; it saved first",
        "start again: it goes on from there; for longer jobs,"
        " set runtime of {rule} under set-resources in slurm/profile.yaml",
    ),
    (
        r"another process writes here",
        "another job trains into the same folder",
        "wait for that one, or scancel it",
    ),
)
RULE = re.compile(r"^\s*(?:local)?rule (\w+):", re.M)
NODE = re.compile(
    r"^node (\S+), Slurm job|slurmstepd-(\w[\w.-]*):|\bON (\w[\w.-]*) CANCELLED|srun: error: (\w[\w.-]*): task",
    re.M,
)


class Failure(NamedTuple):
    """One job that left no output."""

    job: str
    rule: str
    what: str
    node: str
    cause: str
    advice: str
    last: list[str]


def failures(logs: str | Path, since: float) -> Iterator[Failure]:
    """Yield the failed jobs of a run that began at ``since``.

    Those are the jobs whose Slurm log is kept and whose output is missing.
    """
    found = (
        [(path.stat().st_mtime, path) for path in Path(logs).rglob("*.log")]
        if Path(logs).is_dir()
        else []
    )
    for _, path in sorted(item for item in found if item[0] >= since):
        text = path.read_text(encoding="utf-8", errors="replace")
        if failure := _read(path.stem, text):
            yield failure


def report(logs: str | Path, since: float) -> str:
    """Return what to print of the failed jobs, or an empty text."""
    newest = {
        (failure.rule, failure.what): failure for failure in failures(logs, since)
    }  # of several tries the last
    return "\n".join(line for failure in newest.values() for line in _told(failure))


def _read(job: str, text: str) -> Failure | None:
    rules = RULE.findall(text)
    outputs = re.findall(r"^\s*output: (\S+?)(?:,|$)", text, re.M)
    undone = [i for i, output in enumerate(outputs) if not Path(output).exists()]
    if rules and not undone:
        return None  # a later try made it
    which = undone[0] if undone else 0
    rule = rules[which] if which < len(rules) else "?"
    what = outputs[which].rpartition("/")[0] if outputs else "before it began"
    logs = re.findall(r"^\s*log: (\S+?)(?:,| \(|$)", text, re.M)
    own = (
        Path(logs[which]).read_text(encoding="utf-8", errors="replace")
        if which < len(logs) and Path(logs[which]).is_file()
        else ""
    )
    cause, advice = next(
        ((c, a.format(rule=rule)) for p, c, a in CAUSES if re.search(p, text + own)),
        ("it ended with an error", "its last lines say why; the same command goes on from here"),
    )
    nodes = [name for found in NODE.findall(own + "\n" + text) for name in found if name]
    return Failure(
        job,
        rule,
        what,
        nodes[-1] if nodes else "unknown",
        cause,
        advice,
        own.strip().splitlines()[-LAST:],
    )


def _told(failure: Failure) -> list[str]:
    head = f"failed: {failure.rule} {failure.what} (Slurm job {failure.job} on node {failure.node}): {failure.cause}"
    return [head, *(f"    | {line}" for line in failure.last), f"    try: {failure.advice}"]
