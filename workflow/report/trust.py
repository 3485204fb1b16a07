"""What a reader needs to trust the numbers, and to check them."""

import contextlib
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from semblance import layout
from semblance.counts import counted
from semblance.fetch.manifest import Dataset, load_manifest
from semblance.provenance import read_object
from workflow.config.inputs import Pretrained
from workflow.planning import stages
from workflow.report.facts import SHORT, UNREADABLE, Facts


def section(facts: Facts) -> dict[str, Any]:
    """Return the section of a report."""
    config = facts.plan.config
    wanted = stages.wanted_by(facts.plan)
    manifest = load_manifest(wanted.manifest)
    options = facts.command.get("options", [])
    environment: dict[str, set[str]] = {}
    for record in facts.records:
        for name, value in record.get("environment", {}).items():
            environment.setdefault(name, set()).add(str(value))
    trained = sum(record.get("stage") == "train" for record in facts.records)
    devices = {str(record["device"]) for record in facts.records if "device" in record}
    return {
        "environment": [
            (name, ", ".join(sorted(environment[name]))) for name in sorted(environment)
        ],
        "devices": sorted(devices),
        "seeds": [(name, ", ".join(map(str, seeds))) for name, seeds in config.seeds.items()],
        "data": [_dataset(wanted.data, name, manifest[name]) for name in wanted.datasets],
        "bases": _base_models(facts, wanted.bases),
        "slips": len(facts.published.slips),
        "trained": counted(trained, "trained model"),
        "counts": [(name, counted(len(seeds), "seed")) for name, seeds in config.seeds.items()],
        "verify": shlex.join(["semblance", "verify", facts.plan.out]),
        "run": shlex.join(["snakemake", "--cores", "all", *options]),
    }


def _dataset(folder: Path, name: str, dataset: Dataset) -> dict[str, str]:
    """Return a data set with the digest of its first file as it was downloaded."""
    digests: list[str] = []
    with contextlib.suppress(*UNREADABLE):
        record = read_object(folder / layout.RAW_RECORD.format(name=name))
        digests = [str(file["sha256"]) for file in record["files"].values()]
    text = digests[0][:SHORT] if digests else ""
    if len(digests) > 1:
        text += f" and {len(digests) - 1} more"
    return {
        "name": name,
        "title": dataset.title,
        "licence": dataset.licence,
        "link": dataset.homepage or "",
        "digest": text,
    }


def _base_models(facts: Facts, names: Iterable[str]) -> list[dict[str, str]]:
    """Return each base model that was downloaded, and each that a run made."""
    bases = facts.plan.config.bases
    models = []
    for name in names:
        made: dict[str, Any] = {}
        with contextlib.suppress(*UNREADABLE):
            made = read_object(stages.record(facts.plan, stages.Job("download_model", base=name)))
        base = bases[name].written()
        models.append(
            {
                "name": name,
                "title": base.get("hub") or base.get("package") or base.get("folder") or "",
                "revision": str(made.get("revision") or base.get("revision") or ""),
                "digest": made.get("outputs", {}).get(layout.WEIGHTS, "")[:SHORT],
            }
        )
    for name in dict.fromkeys(run.base for run in facts.plan.runs):
        base = bases[name]
        if isinstance(base, Pretrained):
            title = f"{base.base}, trained here by masked words on {base.corpus}"
            models.append({"name": name, "title": title, "revision": "", "digest": ""})
    return models
