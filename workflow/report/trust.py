"""What a reader needs to check the numbers of a run."""

import shlex
from typing import Any

from semblance.counts import counted
from semblance.fetch.manifest import load_manifest
from workflow.planning import stages
from workflow.report.facts import Facts

ORIGIN = ("hub", "package", "folder", "revision")  # the keys of a base that say whence it comes


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
