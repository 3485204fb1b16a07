"""What the controller and its jobs ask of Slurm beside what Snakemake's plugin asks.

A controller that dies leaves its jobs behind. The next one must neither start them a second time
nor lose what they make: it takes back those that still wait in the queue, and lets those that run
come to their end. No snakemake here.
"""

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path

from semblance.errors import InputError
from workflow.controller import orphans

NAME = ".slurm-runs"  # below the output folder: for each run a line, the name of all its jobs
RUN_ID = re.compile(r"SLURM run ID: ([A-Za-z0-9_-]+)")
OVER = (  # states of a job that has ended
    "BOOT_FAIL",
    "CANCELLED",
    "COMPLETED",
    "DEADLINE",
    "FAILED",
    "NODE_FAIL",
    "OUT_OF_MEMORY",
    "PREEMPTED",
    "TIMEOUT",
)
PATIENCE = 60  # seconds for one of Slurm's programs


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
    wanted = set(partitions)
    known = set(_ask("sinfo", "--all", "--noheader", "--format=%R").split())
    if unknown := sorted(wanted - known):
        raise InputError(
            "Slurm",
            f"there is no partition {', '.join(unknown)}",
            f"name one of {', '.join(sorted(known))} at the top of slurm/profile.yaml",
        )


def note_run(out: str | Path, logs: Iterable[str | Path]) -> None:
    """Note below ``out`` the name of this run's jobs, if snakemake's ``logs`` name one."""
    for log in logs:
        found = RUN_ID.search(Path(log).read_text(encoding="utf-8", errors="replace"))
        if found is not None:
            Path(out).mkdir(parents=True, exist_ok=True)
            with open(Path(out, NAME), "a", encoding="utf-8") as stream:
                stream.write(f"{found.group(1)}\n")


def has_runs(out: str | Path) -> bool:
    """Tell whether an earlier run on ``out`` may have jobs left on a cluster."""
    return Path(out, NAME).exists()


def forget_runs(out: str | Path) -> None:
    """Note that all jobs of the runs so far have ended."""
    Path(out, NAME).unlink(missing_ok=True)


def settle_earlier(out: str | Path, every: float = 10.0) -> None:
    """Return when no job of an earlier run on ``out`` is left.

    Jobs that wait are taken back, jobs that run are awaited. Call this before the plan is made, so
    that what those jobs finish counts. ``every``: seconds between two looks at the queue.
    Raises Unanswered.
    """
    noted = Path(out, NAME)
    names = noted.read_text(encoding="utf-8").split()
    if not shutil.which("squeue"):
        print(
            f"note: {noted} names jobs on a cluster, and there is no squeue here to ask about them",
            file=sys.stderr,
        )
        return
    since = noted.stat().st_mtime
    _await_jobs(names, every)
    orphans.forget(out, since)
    forget_runs(out)


def _await_jobs(names: Iterable[str], every: float) -> None:
    announced: set[str] = set()
    while jobs := jobs_of(names):
        waiting = [job for job, state in jobs.items() if state == "PENDING"]
        if waiting:
            _take_back(waiting)
        running = set(jobs) - set(waiting) - announced
        if running:
            _announce(running)
            announced |= running
        if announced:
            time.sleep(every)
        else:
            time.sleep(1)


def _take_back(jobs: list[str]) -> None:
    _ask("scancel", "--state=PENDING", *jobs)
    print(
        f"taken back from the queue, left by an earlier run: jobs {', '.join(jobs)}",
        file=sys.stderr,
    )


def _announce(running: set[str]) -> None:
    print(
        f"still running from an earlier run: jobs {', '.join(sorted(running, key=int))}; waiting"
        " for what they make (Ctrl-C leaves them running; scancel stops them, and their trainings"
        " go on from their last checkpoints)",
        file=sys.stderr,
    )


def queue_of(out: str | Path, patience: float) -> dict[str, str]:
    """Return the jobs of the last runs on ``out`` that have not ended: {id: state}; change nothing.

    Raises Unanswered if Slurm gives no answer within ``patience`` seconds.
    """
    noted = Path(out, NAME)
    if not noted.exists():
        return {}
    return jobs_of(noted.read_text(encoding="utf-8").split(), patience)


def jobs_of(names: Iterable[str], patience: float = PATIENCE) -> dict[str, str]:
    """Return the jobs of these names that have not ended: {id: state}."""
    lines = _ask(
        "squeue",
        "--noheader",
        "--me",
        "--states=all",
        f"--name={','.join(names)}",
        "--format=%A %T",
        patience=patience,
    ).splitlines()
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
        raise Unanswered(f"{command[0]}: {done.stderr.strip()}")
    return done.stdout.strip()
