"""Runs of the tiny project as a user starts them: real processes, which can be stopped and killed."""

import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from tests.dag.tiny import ROOT, Project

SLOW = ROOT / "tests/slurm/slow"  # lets each step of a training take SLOW_STEP seconds more


def start(
    project: Project, *arguments: str, log: Path | None = None, **variables: str
) -> subprocess.Popen:
    """Start snakemake in a session of its own, so that it can be killed with all its jobs.

    What it prints goes to the end of ``log``, or else into the ``stdout`` of what is returned.
    """
    command = [sys.executable, "-m", "snakemake", "--cores", "2", "--configfile", "tiny.yaml"]
    with contextlib.ExitStack() as opened:
        output = subprocess.PIPE
        if log is not None:
            output = opened.enter_context(open(log, "a", encoding="utf-8"))
        return subprocess.Popen(
            [*command, *arguments],
            cwd=project.folder,
            env={**os.environ, "PYTHONPATH": "", "TQDM_DISABLE": "1", **variables},
            start_new_session=True,
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
        )


def logged(project: Project) -> str:
    """Return what the log of the project's runs has of Snakemake and its jobs so far."""
    log = project.folder / "results/logs/run.log"
    return log.read_text(encoding="utf-8") if log.exists() else ""


def ended(process: subprocess.Popen, seconds: float = 300) -> str:
    """Wait for the end of a run; return what it has printed."""
    return process.communicate(timeout=seconds)[0]


def slow_training(seconds: float) -> dict[str, str]:
    """Return the environment of a run whose trainings take so much longer for each step."""
    return {"PYTHONPATH": str(SLOW), "SLOW_STEP": str(seconds)}


def wait_for_writer(folder: Path) -> int:
    """Return the process that writes a folder, as soon as there is one."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            return json.loads((folder / ".writer").read_text())["pid"]
        except (OSError, ValueError):
            time.sleep(0.05)
    raise AssertionError(f"nobody writes {folder}")
