"""What can be known to be wrong before anything starts: the config, its files, this machine.

No network is asked. ``semblance check`` shows it all, and each start of snakemake does the same first.
"""

import functools
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from semblance.download.manifest import Dataset, load_manifest
from semblance.errors import InputError
from semblance.gpus import visible_gpus, without_gpu
from workflow.controller import slurm
from workflow.controller.command import Command
from workflow.costing import rates
from workflow.costing.model import Cost
from workflow.costing.proportions import odd_proportions, proportion_checks
from workflow.planning.checks import errors_of
from workflow.planning.config import examine
from workflow.planning.inputs import dataset_checks, input_checks
from workflow.planning.layers import Layered
from workflow.planning.stages import STAGES, Job, jobs, record


@dataclass
class Checked:
    """A config with what was found; ``config`` and ``cost`` are there if the config can be read.

    A warning stops no start. ``facts`` are the lines of a summary. ``asked`` is what it was checked for.
    """

    errors: list[InputError]
    config: dict = field(default_factory=dict)
    datasets: dict[str, Dataset] = field(default_factory=dict)
    cost: Cost | None = None
    warnings: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    asked: Command = Command(starts_jobs=False)


def check(layers: Layered, asked: Command) -> Checked:
    """Check a config, and, if ``asked`` plans jobs, whether this machine can run them."""
    config, errors = examine(layers)
    if config is None:
        return Checked(errors, asked=asked)
    checked = Checked([], config, asked=asked)
    checked.errors += map(layers.located, errors_of([partial(_add_costs, checked)]))
    if not checked.errors:
        plan = checked.cost.plan
        everything = jobs(plan)
        found = errors_of(dataset_checks(plan, everything, checked.datasets))
        if asked.plans_jobs:
            found += _missing_or_odd(checked, everything)
            _check_disks(checked, everything)
            found += errors_of([partial(_check_devices, checked, asked)])
        checked.errors += map(layers.located, found)
    return checked


def _add_costs(checked: Checked) -> None:
    config = checked.config
    checked.datasets = _datasets(config)
    factor = rates.kept_factor(config["output"])
    checked.cost = Cost(config, checked.datasets, rates.shipped(), factor)


def _datasets(config: dict) -> dict[str, Dataset]:
    path = config["manifest"]
    if not Path(path).exists():
        raise InputError("config.manifest", f"{path}: no such file", "correct the path")
    return load_manifest(path)


def _missing_or_odd(checked: Checked, everything: list[Job]) -> list[InputError]:
    found = errors_of(input_checks(checked.cost.plan, everything))
    if not found:
        found = errors_of(proportion_checks(checked.cost, everything))
        checked.warnings += odd_proportions(checked.cost, everything)
    return found


def _check_devices(checked: Checked, asked: Command) -> None:
    """Check the cluster of a run that submits its jobs, or else the GPUs and CPUs of this machine."""
    if asked.submits:
        if asked.on_slurm and asked.starts_jobs:
            _check_cluster(asked)
        checked.facts.append("device: those of the cluster's nodes")
        return
    device = "CPU"
    if checked.config["resources"]["gpus"]:
        if gpus_here():
            device = f"{len(gpus_here())} GPUs"
        else:
            checked.warnings.append(without_gpu())
    checked.facts.append(f"device: {device}")
    threads = checked.config["training"]["threads"]
    cpus = len(os.sched_getaffinity(0))
    if threads > cpus:
        checked.warnings.append(f"training.threads: {threads}, but this machine has {cpus} CPUs")


@functools.cache
def gpus_here() -> tuple[str, ...]:
    """Return the GPUs that this process may use; nvidia-smi, which takes a second, is asked once."""
    return tuple(visible_gpus())


def _check_cluster(asked: Command) -> None:
    try:
        slurm.check_cluster(asked.programs, asked.partitions)
    except slurm.Unanswered as error:
        raise InputError("Slurm", f"gives no answer: {error}", "try again later") from None


def _check_disks(checked: Checked, everything: list[Job]) -> None:
    """Compare what the jobs to do will write with the room on the disks of the two folders."""
    todo = [job for job in everything if not Path(record(checked.cost.plan, job)).is_file()]
    checked.facts.append(f"{len(everything):,} jobs, {len(todo):,} of them to do")
    planned: dict[str, float] = dict.fromkeys(("output", "downloads"), 0.0)
    scratch = 0.0
    for job in todo:
        need = checked.cost.need(job)
        planned["downloads" if STAGES[job.stage].work == "download" else "output"] += need.disk
        scratch = max(scratch, need.scratch)
    planned["output"] += scratch  # of one training at a time, at least
    for folder, megabytes in _by_disk(checked.config, planned):
        free = shutil.disk_usage(folder).free / 1e6
        line = f"disk: {_with_unit(megabytes)} planned, {_with_unit(free)} free at {folder}"
        checked.facts.append(line)
        if megabytes > free:
            checked.warnings.append(f"{line}: set output or downloads to another disk")


def _by_disk(config: dict, planned: dict[str, float]) -> Iterator[tuple[Path, float]]:
    """Yield a folder of each disk that is written, and the planned MB of all folders on it."""
    folders: dict[int, Path] = {}
    sums: dict[int, float] = {}
    for key, megabytes in planned.items():
        folder = _existing(Path(config[key]).resolve())
        disk = folder.stat().st_dev
        folders.setdefault(disk, folder)
        sums[disk] = sums.get(disk, 0.0) + megabytes
    for disk, folder in folders.items():
        yield folder, sums[disk]


def _existing(folder: Path) -> Path:
    """Return a folder, or the nearest one above it that is there."""
    while not folder.is_dir():
        folder = folder.parent
    return folder


def _with_unit(megabytes: float) -> str:
    if megabytes < 1000:
        return f"{megabytes:,.0f} MB"
    return f"{megabytes / 1000:,.1f} GB"
