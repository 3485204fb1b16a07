"""What the controller and its jobs ask of Slurm, and what Slurm's log of a failed job says.

A controller that dies leaves its jobs behind. The next one must neither start them a second time
nor lose what they make: it takes back those that still wait in the queue, and lets those that run
come to their end. No snakemake here.
"""

import contextlib
import math
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from semblance import layout
from semblance.errors import InputError
from semblance.layout import RECORD
from workflow.run import lock, private

OVER = """
    BOOT_FAIL CANCELLED COMPLETED DEADLINE FAILED NODE_FAIL OUT_OF_MEMORY PREEMPTED TIMEOUT
""".split()  # states of a job that has ended
PATIENCE = 60  # seconds for one of Slurm's programs
# A line for each node of each partition; a star marks the default partition.
EACH_NODE = ("--all", "--noheader", "--Node", "--format=%P %m")
WAITING = (
    "waiting for what they make (Ctrl-C leaves them running; scancel stops them, and their"
    " trainings go on from their last checkpoints)"
)


class Cause(NamedTuple):
    """A cause of failure: the pattern that shows it in a log, its name, and what to do."""

    pattern: str
    name: str
    advice: str


AGAIN = "start again: trainings go on from their last checkpoint"
MORE_TIME = "for longer jobs, set runtime of {rule} under set-resources in slurm/profile.yaml"
OUT_OF_MEMORY = Cause(
    r"oom-kill|Out Of Memory|OUT_OF_MEMORY|exceeded.*memory limit",
    "out of memory",
    "each try after such an end asks for more, up to what a node has; to begin higher, set mem_mb of"
    " {rule} under set-resources in slurm/profile.yaml",
)
CAUSES = (  # the first whose pattern is found is the cause
    OUT_OF_MEMORY,
    Cause(r"DUE TO TIME LIMIT", "its time was up before it could save", f"{AGAIN}; {MORE_TIME}"),
    Cause(r"DUE TO PREEMPTION", "preempted by a job of higher priority", AGAIN),
    Cause(
        r"DUE TO NODE FAILURE|Node failure",
        "the node failed",
        "start again; to leave a node out: --slurm-exclude-failed-nodes NODE",
    ),
    Cause(r"CANCELLED AT|'CANCELLED'", "cancelled (by scancel, or by the site)", AGAIN),
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
    Cause(
        "", "it ended with an error", "its last lines say why; the same command goes on from here"
    ),
)
NODE = re.compile(  # the ways in which a log names the job's node
    r"^node (\S+), Slurm job|slurmstepd-(\w[\w.-]*):"
    r"|\bON (\w[\w.-]*) CANCELLED|srun: error: (\w[\w.-]*): task",
    re.MULTILINE,
)
# What the executor says where sbatch does not take a job.
REFUSAL = re.compile(r"sbatch failed\. The error message was '(.*?)'\.\n", re.DOTALL)


def cause_in(log: str) -> Cause:
    """Return why a job of Slurm's failed, by its log."""
    return next(cause for cause in CAUSES if re.search(cause.pattern, log))


def words_in(log: str, cause: Cause) -> str:
    """Return the last line of a log that shows a cause; empty where none does."""
    lines = [line.strip() for line in log.splitlines()]
    shown = [line for line in lines if cause.pattern and re.search(cause.pattern, line)]
    return "".join(shown[-1:])


def refusal_in(said: str) -> str:
    """Return in one line why sbatch refused a job, by what the executor says; empty if it did not."""
    refusal = REFUSAL.search(said)
    return "; ".join(refusal[1].split("\n")) if refusal else ""


def node_in(log: str) -> str:
    """Return the node that is named last: a job that is started again may change its node."""
    nodes = [match[match.lastindex] for match in NODE.finditer(log)]
    return nodes[-1] if nodes else "unknown"


class Unanswered(Exception):
    """Slurm gave no answer."""


def check_cluster(programs: Iterable[str], partitions: Iterable[str]) -> None:
    """Raise InputError for a program of Slurm that is not here and for an unknown partition.

    Each of them would fail at every job, and some let Snakemake's executor wait for ever.
    """
    missing = [program for program in dict.fromkeys(programs) if not shutil.which(program)]
    if missing:
        where = "start on a login node of the cluster, or without --profile slurm"
        if missing == ["sacct"]:
            where = "set slurm_account, or slurm-no-account: true, in slurm/profile.yaml"
        raise InputError("Slurm", f"{', '.join(missing)}: no such program here", where)
    known = set(_ask("sinfo", "--all", "--noheader", "--format=%R").split())
    if unknown := sorted(set(partitions) - known):
        raise InputError(
            "Slurm",
            f"there is no partition {', '.join(unknown)}",
            f"name one of {', '.join(sorted(known))} at the top of slurm/profile.yaml",
        )


def largest_memory(partitions: str) -> float:
    """Return the MB of the largest node of some partitions, ``a,b``; of none named, of the default one.

    Infinite where Slurm tells of no such node: it then refuses itself what is too much.
    """
    names = partitions.split(",")
    with contextlib.suppress(Unanswered):
        nodes = [line.split() for line in _ask("sinfo", *EACH_NODE).splitlines()]
        sizes = [
            int(size.rstrip("+"))
            for name, size in nodes
            if name.rstrip("*") in names or (name.endswith("*") and not partitions)
        ]
        return max(sizes, default=math.inf)
    return math.inf


def settle(names: list[str], every: float = 10.0) -> bool:
    """Return as soon as no job of these names is left; False where there is no Slurm to ask.

    Jobs that wait are taken back, jobs that run are awaited. Call this before the plan is made, so
    that what those jobs finish counts. ``every``: seconds between two looks at the queue.
    Raises Unanswered.
    """
    if not shutil.which("squeue"):
        where = "and there is no squeue here to ask about them"
        print(f"note: an earlier run has jobs on a cluster, {where}", file=sys.stderr)
        return False
    announced: set[str] = set()
    while jobs := jobs_of(names):
        waiting = [job for job, state in jobs.items() if state == "PENDING"]
        if waiting:
            _ask("scancel", "--state=PENDING", *waiting)
            left = f"left by an earlier run: jobs {', '.join(waiting)}"
            print(f"taken back from the queue, {left}", file=sys.stderr)
        running = set(jobs) - set(waiting) - announced
        if running:
            named = ", ".join(sorted(running, key=int))
            print(f"still running from an earlier run: jobs {named}; {WAITING}", file=sys.stderr)
            announced |= running
        time.sleep(every if announced else 1)
    return True


def jobs_of(names: Iterable[str], patience: float = PATIENCE) -> dict[str, str]:
    """Return the jobs of these names that have not ended: {id: state}.

    Raises Unanswered if Slurm gives no answer within ``patience`` seconds.
    """
    wanted = f"--name={','.join(names)}"
    query = ("squeue", "--noheader", "--me", "--states=all", wanted, "--format=%A %T")
    lines = _ask(*query, patience=patience).splitlines()
    states = dict(line.split() for line in lines)
    return {job: state for job, state in states.items() if state not in OVER}


def end_of_allocation(environment: Mapping[str, str]) -> int | None:
    """Return when Slurm will end the job that this process runs in, in seconds since the epoch.

    None outside of a job and for a job without a limit. No signal reaches a job's processes before
    that time: a training has to look at the clock.
    """
    job = environment.get("SLURM_JOB_ID", "")
    if not job.isdigit():
        return None
    end = environment.get("SLURM_JOB_END_TIME", "")  # set by newer versions of Slurm
    if end.isdigit():
        return int(end)
    try:
        answer = _ask("squeue", "--noheader", f"--jobs={job}", "--format=%e")
        return int(datetime.fromisoformat(answer).timestamp())
    except (Unanswered, ValueError):  # no limit, or no answer: periodic checkpoints remain
        return None


def _ask(*command: str, patience: float = PATIENCE) -> str:
    """Run one of Slurm's programs; return what it prints, or raise Unanswered."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=patience)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unanswered(f"{command[0]}: {error}") from None
    if done.returncode:
        raise Unanswered(f"{command[0]}: {' '.join(done.stderr.split())}")
    return done.stdout.strip()


def forget_orphans(out: str | Path, since: float) -> None:
    """Delete the records written after ``since`` that Snakemake has not noted, so that their stages run again.

    Those jobs ended after their controller had died. Without a note of their settings Snakemake would
    take them for current, whatever the config says later. A training is made again in seconds, from
    what it kept when it finished (``semblance.training.keeping.finished``). One that kept nothing
    keeps its record, with a warning.
    """
    if not private.NOTES.is_dir() or not any(private.NOTES.iterdir()):
        return  # the results were copied here, and Snakemake has no note of any
    for record in Path(out).glob(layout.pattern(layout.FIGURE_RECORD)):
        if record.stat().st_mtime >= since and not private.note_of(record).exists():
            record.unlink()
    for folder, subfolders, files in os.walk(out):
        subfolders[:] = [
            name
            for name in subfolders
            if name != "checkpoints" and not Path(folder, name, lock.NAME).exists()
        ]
        record = Path(folder, RECORD)
        is_new = RECORD in files and record.stat().st_mtime >= since
        if not is_new or private.note_of(record).exists():
            continue
        kept = any(record.parent.glob(f"checkpoints/*/finished/{RECORD}"))
        if kept or not (record.parent / "model").is_dir():
            record.unlink()
        else:
            note = f"{folder} was finished after its controller had died"
            advice = (
                "Snakemake will not notice a change of its settings; delete it to train it again"
            )
            print(f"warning: {note}. {advice}", file=sys.stderr)
