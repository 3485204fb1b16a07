"""What a run was predicted to cost, and what its finished jobs used."""

import contextlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semblance import layout
from semblance.counts import duration, size
from semblance.fetch.manifest import load_manifest
from workflow.costing.model import Cost, finished
from workflow.planning.plan import Plan
from workflow.planning.stages import STAGES, Job, jobs, record
from workflow.report.facts import files_below

OWN = "report"  # the stage whose cost is left out: it is not over while the page is made
NOT_COUNTED = {"logs", "report.html"}  # what a report itself changes


@dataclass(frozen=True)
class Costs:
    """The section; ``stages``: a line for each stage."""

    stages: list[dict[str, Any]]
    done: int
    jobs: int
    used: str
    predicted: str
    left: str
    disk: str


def section(plan: Plan) -> Costs:
    """Return the costs of a plan, by the estimates and by the records of what is finished."""
    cost = Cost(plan.config, load_manifest(plan.config.manifest))
    planned = [job for job in jobs(plan) if job.stage != OWN]
    left = [job for job in planned if not Path(record(plan, job)).is_file()]
    records = {job: facts for job, facts in finished(cost).items() if job.stage != OWN}
    numbers = Counter(job.stage for job in planned)
    done = numbers - Counter(job.stage for job in left)
    lines = [
        {"stage": stage, "done": done[stage], "jobs": numbers[stage]}
        | _usage([facts for job, facts in records.items() if job.stage == stage])
        for stage in filter(numbers.get, STAGES)
    ]
    return Costs(
        stages=lines,
        done=len(planned) - len(left),
        jobs=len(planned),
        used=duration(_seconds(records.values())),
        predicted=duration(_predicted(cost, records)),
        left=duration(_predicted(cost, left)) if left else "",
        disk=size(_megabytes_below(plan.out)),
    )


def _usage(records: list[dict[str, Any]]) -> dict[str, str]:
    """Return what finished jobs of a stage used, as far as their records say it."""
    seconds = _seconds(records)
    memory = max((facts.get("memory") or 0 for facts in records), default=0)
    return {
        "used": duration(seconds) if seconds else "",
        "memory": size(memory) if memory else "",
    }


def _seconds(records: Iterable[dict[str, Any]]) -> float:
    return sum(facts["seconds"] for facts in records)


def _predicted(cost: Cost, some: Iterable[Job]) -> float:
    return sum(cost.seconds(job) for job in some)


def _megabytes_below(folder: str) -> float:
    """Return the size of the files of a run; a file that two names share counts once."""
    root = Path(folder)
    own = Path(layout.place(root, layout.TABLE_RECORD, table=OWN))
    sizes = {}
    for path in files_below(root):
        if path.relative_to(root).parts[0] not in NOT_COUNTED and path != own:
            with contextlib.suppress(FileNotFoundError):  # a running job may have moved it
                status = path.lstat()
                sizes[status.st_dev, status.st_ino] = status.st_size
    return sum(sizes.values()) / 1e6
