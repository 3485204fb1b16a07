"""A small run whose records, leases, logs and checkpoints are written by hand."""

import functools
import json
import os
import socket
import time
from pathlib import Path

from semblance.fetch.manifest import load_manifest
from semblance.files import write_text
from semblance.locks import name_for
from semblance.provenance import ROOT, write_json
from tests.shipped import merged
from workflow.checks.load import load
from workflow.config.model import Config
from workflow.planning.plan import Plan
from workflow.planning.stages import Job, jobs, log, record
from workflow.run import events, lock, started
from workflow.run.costs import Cost
from workflow.run.status import Status, look

BASE = "nli-roberta-base-v2"
TABLE = {
    "title": "T",
    "layout": "sts",
    "seeds": "rcl",
    "rows": [{"corpora": ["nli"], "bases": [BASE], "methods": ["start", "rcl-2"]}],
}
TRAINING = Job("train", "nli", BASE, "rcl-2", 1)
OTHER = TRAINING._replace(seed=2)
LINE = "{}: step {} of {}, loss 2.5, {} steps/s, 2 min 46 s left\n"
NOBODY = 2**22 + 1  # above the largest number of a process


@functools.cache
def _config() -> Config:
    config = merged("config.yaml")
    del config["figures"]
    changes = {
        "tables": {"t": TABLE},
        "seeds": {"rcl": [1, 2], "ssimcse": [1]},
        "resources": config["resources"] | {"gpus": 0},
    }
    return load(config | changes | {"manifest": str(ROOT / "workflow/manifest.yaml")})


@functools.cache
def _manifest() -> dict:
    return load_manifest(ROOT / "workflow/manifest.yaml")


class ExampleRun:
    """An output folder ``results`` in the current folder, and what tests leave in it."""

    def __init__(self):
        config = _config()
        self.plan = Plan(config)
        self.cost = Cost(config, _manifest())
        self.jobs = jobs(self.plan)
        note_start(self.plan)

    def finish(self, *some: Job) -> None:
        """Leave the records of jobs."""
        for job in some:
            path = Path(record(self.plan, job))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("{}")

    def finish_all_but(self, *some: Job) -> None:
        self.finish(*(job for job in self.jobs if job not in some))

    def hold(self, made: Job, /, **changes) -> Path:
        """Leave the lease of a job as this process would write it."""
        path = Path(record(self.plan, made))
        return write_lease(path.parent / name_for(path), **changes)

    def control(self, **changes) -> None:
        """Leave the lease of the controller."""
        write_lease(Path(self.plan.out, lock.NAME), **changes)

    def tell(self, job: Job, text: str, age: float = 0.0) -> Path:
        """Leave the log of a job, written ``age`` seconds ago."""
        path = Path(self.plan.out, f"{log(job)}.log")
        write_text(path, text)
        os.utime(path, (time.time() - age, time.time() - age))
        return path

    def happened(self, event: str, job: Job, error: str = "") -> Path:
        """Leave an event of a job that has a log; return the log."""
        events.append(self.plan.out, event, job=log(job), error=error)
        return self.tell(job, "")

    def save(self, job: Job, step: int) -> None:
        """Leave a step checkpoint of a training."""
        folder = Path(record(self.plan, job)).parent
        folder.joinpath(f"checkpoints/0123/step-{step:08d}").mkdir(parents=True)

    def look(self) -> Status:
        return look(started.read_start(self.plan.out))


def note_start(plan: Plan, at_a_time: int | None = None) -> None:
    """Note the start of a run, as its controller does; ``at_a_time``: jobs, on a cluster."""
    note = {"folder": os.getcwd(), "output": plan.out, "options": []}
    note |= {"command": "snakemake --cores 4", "cores": 4, "at_a_time": at_a_time}
    write_json(f"{plan.out}/logs/command.json", note)
    write_json(f"{plan.out}/logs/config.json", plan.config.written())


def write_lease(path: Path, age: float = 0.0, **changes) -> Path:
    """Write a lease as a holder does, whose last beat was ``age`` seconds ago."""
    holder = {"host": socket.gethostname(), "job": "", "pid": os.getpid(), "token": "0", "beat": 1}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(json.dumps(holder | changes).encode().ljust(511) + b"\n")
    os.utime(path, (time.time() - age, time.time() - age))
    return path
