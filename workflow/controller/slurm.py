"""What the controller and its jobs ask of Slurm beside what Snakemake's plugin does; no snakemake here.

A controller that died leaves its jobs behind. The next one must neither start them a second time nor lose
what they make: it takes back what still waits in the queue, and lets what runs come to its end.
"""

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path

from workflow.controller import orphans

NAME = (
    ".slurm-runs"  # below the output folder: a line for each run, the name that all its jobs bear
)
RUN_ID = re.compile(r"SLURM run ID: ([A-Za-z0-9_-]+)")
OVER = (
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
DRY = re.compile(r"--dry-?run|-[a-zA-Z]*n[a-zA-Z]*")


class Unanswered(Exception):
    """Slurm gave no answer."""


def note_run(out: str | Path, logs: Iterable[str | Path]) -> None:
    """Note below ``out`` the name of this run's jobs, if the logs of its beginning say that it has one."""
    for found in filter(
        None,
        (RUN_ID.search(Path(log).read_text(encoding="utf-8", errors="replace")) for log in logs),
    ):
        Path(out).mkdir(parents=True, exist_ok=True)
        with open(Path(out, NAME), "a", encoding="utf-8") as stream:
            stream.write(f"{found.group(1)}\n")


def has_runs(out: str | Path) -> bool:
    """Tell whether an earlier run on ``out`` had jobs on a cluster and nobody saw the last of them."""
    return Path(out, NAME).exists()


def settle_earlier(out: str | Path, every: float = 10.0) -> None:
    """Return when no job of an earlier run on ``out`` is left: the waiting are taken back, the running awaited.

    To be called before the plan is made, so that what those jobs finish counts. Raises Unanswered.
    """
    noted = Path(out, NAME)
    names = noted.read_text(encoding="utf-8").split()
    if not shutil.which("squeue"):
        print(
            f"note: {noted} tells of jobs on a cluster, and there is no squeue here to ask about them",
            file=sys.stderr,
        )
        return
    since = noted.stat().st_mtime
    told: set[str] = set()
    while jobs := jobs_of(names):
        if waiting := [job for job, state in jobs.items() if state == "PENDING"]:
            _ask("scancel", "--state=PENDING", *waiting)
            print(
                f"taken back from the queue, left by an earlier run: jobs {', '.join(waiting)}",
                file=sys.stderr,
            )
        if running := set(jobs) - set(waiting) - told:
            print(
                f"still running from an earlier run: jobs {', '.join(sorted(running, key=int))}; waiting for what they"
                " make (Ctrl-C leaves them running; scancel stops them, and their trainings go on from their last"
                " checkpoints)",
                file=sys.stderr,
            )
            told |= running
        time.sleep(every if told else 1)
    orphans.forget(out, since)
    noted.unlink(missing_ok=True)


def forget_runs(out: str | Path) -> None:
    """Note that every job of the runs so far was seen to its end."""
    Path(out, NAME).unlink(missing_ok=True)


def jobs_of(names: Iterable[str]) -> dict[str, str]:
    """Return the jobs of these names that are not over yet: {id: state}."""
    lines = _ask(
        "squeue",
        "--noheader",
        "--me",
        "--states=all",
        f"--name={','.join(names)}",
        "--format=%A %T",
    ).splitlines()
    return {job: state for job, state in map(str.split, lines) if state not in OVER}


def end_of_allocation(environment: Mapping[str, str]) -> int | None:
    """Return when the batch job that this process runs in will be ended, in seconds of the epoch; None outside of one.

    No signal reaches a job's processes before that: a training has to look at the clock.
    """
    job = environment.get("SLURM_JOB_ID", "")
    if not job.isdigit():
        return None
    if environment.get("SLURM_JOB_END_TIME", "").isdigit():  # newer versions of Slurm
        return int(environment["SLURM_JOB_END_TIME"])
    try:
        return int(
            datetime.fromisoformat(
                _ask("squeue", "--noheader", f"--jobs={job}", "--format=%e")
            ).timestamp()
        )
    except (Unanswered, ValueError):  # no limit, or nobody to ask: periodic checkpoints remain
        return None


def is_dry(arguments: Iterable[str]) -> bool:
    """Tell whether snakemake's command line asks for the plan only."""
    return any(DRY.fullmatch(argument) for argument in arguments)


def _ask(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unanswered(f"{command[0]}: {error}") from None
    if done.returncode:
        raise Unanswered(f"{command[0]}: {done.stderr.strip()}")
    return done.stdout.strip()
