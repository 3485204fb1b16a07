"""What a run cost, and what a reader needs to check its numbers."""

import contextlib
import shlex
from typing import Any, NamedTuple

from semblance.counts import counted, duration
from semblance.fetch.manifest import load_manifest
from semblance.provenance import read_sealed
from workflow.planning import stages
from workflow.report.facts import UNREADABLE, Facts

OWN = "report"  # the stage whose cost is left out: it is not over while the page is made
ORIGIN = ("hub", "package", "folder", "revision")  # the keys of a base that say whence it comes


class Costs(NamedTuple):
    """How many jobs are done, and what they took together."""

    done: int
    jobs: int
    used: str


def costs(facts: Facts) -> Costs:
    """Return what the finished jobs of a run took, by their records."""
    jobs = [job for job in stages.jobs(facts.plan) if job.stage != OWN]
    seconds = []
    for job in jobs:
        with contextlib.suppress(*UNREADABLE):
            seconds.append(read_sealed(stages.record(facts.plan, job)).get("seconds", 0.0))
    return Costs(len(seconds), len(jobs), duration(sum(seconds)))


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
        "finding": f"{counted(len(facts.records), 'record')} of jobs can be checked by one command",
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
