"""What a run cost, and what a reader needs to check its numbers."""

import contextlib
import shlex
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semblance import layout
from semblance.counts import duration, size
from semblance.fetch.manifest import load_manifest
from semblance.provenance import read_sealed
from workflow.planning import stages
from workflow.planning.plan import Plan
from workflow.report.facts import UNREADABLE, Facts, files_below

OWN = "report"  # the stage whose cost is left out: it is not over while the page is made
ORIGIN = ("hub", "package", "folder", "revision")  # the keys of a base that say whence it comes
NOT_COUNTED = {"logs", "report.html"}  # what a report itself changes


@dataclass(frozen=True)
class Costs:
    """The section of what finished jobs used; ``stages``: a line for each stage."""

    stages: list[dict[str, Any]]
    done: int
    jobs: int
    used: str
    disk: str


def costs(facts: Facts) -> Costs:
    """Return what the finished jobs of a run took, by their records."""
    records: dict[str, list[dict[str, Any]]] = {stage: [] for stage in stages.STAGES}
    numbers: Counter[str] = Counter()
    for job in stages.jobs(facts.plan):
        if job.stage != OWN:
            numbers[job.stage] += 1
            with contextlib.suppress(*UNREADABLE):
                records[job.stage].append(read_sealed(stages.record(facts.plan, job)))
    lines = [
        {"stage": stage, "jobs": numbers[stage]} | _usage(records[stage])
        for stage in filter(numbers.get, stages.STAGES)
    ]
    return Costs(
        stages=lines,
        done=sum(map(len, records.values())),
        jobs=numbers.total(),
        used=duration(sum(map(_seconds, records.values()))),
        disk=size(_megabytes_below(facts.plan)),
    )


def _usage(records: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what finished jobs of a stage used, as far as their records say it."""
    memory = max((record.get("memory") or 0 for record in records), default=0)
    seconds = _seconds(records)
    return {
        "done": len(records),
        "used": duration(seconds) if seconds else "",
        "memory": size(memory) if memory else "",
    }


def _seconds(records: list[dict[str, Any]]) -> float:
    return sum(record.get("seconds", 0) for record in records)


def _megabytes_below(plan: Plan) -> float:
    """Return the size of the files of a run; a file that two names share counts once."""
    root = Path(plan.out)
    own = Path(layout.place(root, layout.TABLE_RECORD, table=OWN))
    sizes = {}
    for path in files_below(root):
        if path.relative_to(root).parts[0] not in NOT_COUNTED and path != own:
            with contextlib.suppress(FileNotFoundError):  # a running job may have moved it
                status = path.lstat()
                sizes[status.st_dev, status.st_ino] = status.st_size
    return sum(sizes.values()) / 1e6


def section(facts: Facts) -> dict[str, Any]:
    """Return the commands that check a run, and its data, bases and environment."""
    config = facts.plan.config
    wanted = stages.wanted_by(facts.plan)
    manifest = load_manifest(wanted.manifest)
    environment: dict[str, set[str]] = {}
    for record in facts.records:
        for name, value in record.get("environment", {}).items():
            environment.setdefault(name, set()).add(str(value))
    bases = {name: config.bases[name].written() for name in wanted.bases}
    devices = {str(record["device"]) for record in facts.records if "device" in record}
    return {
        "environment": [
            (name, ", ".join(sorted(environment[name]))) for name in sorted(environment)
        ],
        "devices": sorted(devices),
        "data": [(name, manifest[name]) for name in wanted.datasets],
        "bases": [
            (name, " ".join(str(base[key]) for key in ORIGIN if key in base))
            for name, base in bases.items()
        ],
        "slips": len(facts.published.slips),
        "verify": shlex.join(["semblance", "verify", "--output", facts.plan.out]),
        "run": shlex.join(["snakemake", "--cores", "all", *facts.command.get("options", [])]),
    }
