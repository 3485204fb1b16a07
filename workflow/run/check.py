"""What can be known to be wrong before anything starts: the config, its files, this machine.

No network is asked. ``semblance check`` shows it all, and each start of snakemake does the same first.
"""

import functools
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from semblance.counts import size
from semblance.errors import InputError, nearest
from semblance.fetch.manifest import Dataset, load_manifest
from semblance.gpus import visible_gpus, without_gpu
from workflow.checks.claims import claim_checks
from workflow.checks.load import errors_of, examine
from workflow.checks.machine import dataset_checks, input_checks
from workflow.config.layers import Layered
from workflow.config.model import Config
from workflow.planning.stages import STAGES, Job, jobs
from workflow.run import slurm
from workflow.run.command import Command
from workflow.run.costs import Cost, to_do
from workflow.run.needs import bf16_here

LONG = 24  # GPU-hours: a run that takes longer does not begin on a machine without a GPU
HERE = "this machine"
ANYWAY = "the key `anyway: true` starts all the same"


@dataclass
class Checked:
    """A config with its errors; ``config`` and ``cost`` are there if the config can be read.

    A warning stops no start. ``facts`` are the lines of a summary. ``asked`` is what it was checked for.
    """

    errors: list[InputError]
    config: Config | None = None
    datasets: dict[str, Dataset] = field(default_factory=dict)
    cost: Cost | None = None
    warnings: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    asked: Command = Command(starts_jobs=False)


def check(layers: Layered, asked: Command) -> Checked:
    """Check a config, and, if ``asked`` plans jobs, whether this machine can run them."""
    config, errors = examine(layers)
    checked = Checked([*_lost_options(asked), *errors], config, asked=asked)
    if config is None:
        return checked
    errors = errors_of([partial(_add_costs, checked)])
    if not errors:
        plan = checked.cost.plan
        everything = jobs(plan)
        errors = errors_of(dataset_checks(plan, everything, checked.datasets))
        errors += _no_rules(asked, checked.datasets)
        if asked.plans_jobs:
            missing = errors_of(input_checks(plan, everything))
            if not missing:
                checked.warnings += _large_batches(checked.cost, everything)
            devices = partial(_check_devices, checked)
            errors += [*missing, *errors_of([devices, *claim_checks()])]
    checked.errors += map(layers.located, errors)
    if asked.makes_all and not checked.errors:  # the plan of a large run takes Snakemake a while
        check_planned(checked)
    return checked


def _lost_options(asked: Command) -> Iterator[InputError]:
    """Yield an error for each option of which Snakemake would drop the first values in silence."""
    for option in asked.lost:
        flag = f"--{option.replace('_', '-')}"
        problem = "stands twice, and Snakemake reads the last one alone"
        yield InputError(flag, problem, f"put all behind one {flag}")


def _no_rules(asked: Command, datasets: Iterable[str]) -> Iterator[InputError]:
    """Yield an error for each name of no rule, of which Snakemake says nothing."""
    known = {*STAGES, "all", *(f"download_{name}" for name in datasets)} - {"download"}
    for flag, name in asked.rules:
        if name not in known:
            yield InputError(flag, f"there is no rule {name!r}", nearest(name, sorted(known)))


def _add_costs(checked: Checked) -> None:
    config = checked.config
    path = config.manifest
    if not Path(path).exists():
        raise InputError("config.manifest", f"{path}: no such file", "correct the path")
    checked.datasets = load_manifest(path)
    checked.cost = Cost(config, checked.datasets)


def _large_batches(cost: Cost, everything: Iterable[Job]) -> list[str]:
    """Return a line for each training whose corpus is smaller than one batch: it has fewer negatives."""
    lines = []
    for job in everything:
        if STAGES[job.stage].work == "train":
            batch = cost.needs.settings(job)["batch_size"]
            rows = cost.needs.sizes.corpora[job.corpus].rows
            if batch > rows:
                of = job.name or job.base  # a base that is trained here has no method
                has = f"{job.corpus} has about {rows:,} rows in all"
                lines.append(f"batch_size {batch} of {of}: {has}")
    return list(dict.fromkeys(lines))


def _check_devices(checked: Checked) -> None:
    """Check the cluster of a run that submits its jobs, or else the GPUs and CPUs of this machine."""
    asked = checked.asked
    if asked.submits:
        if asked.on_slurm and asked.starts_jobs:
            try:
                slurm.check_cluster(asked.programs, asked.named_partitions())
            except slurm.Unanswered as error:
                answer = f"gives no answer: {error}"
                raise InputError("Slurm", answer, "try again later") from None
        return
    gpus = checked.config.resources.gpus and gpus_here()
    if checked.config.resources.gpus and not gpus:
        checked.warnings.append(without_gpu())
    speed = bf16_here()
    if not gpus and speed < 1 and '"precision":"bf16"' in checked.config.model_dump_json():
        problem = f"precision: bf16 takes this processor {1 / speed:.0f} times as long as fp32"
        checked.warnings.append(f"{problem}; the costs are of one that computes in it")
    threads = checked.config.training.threads
    cpus = len(os.sched_getaffinity(0))
    if threads > cpus:
        checked.warnings.append(f"training.threads: {threads}, but this machine has {cpus} CPUs")


@functools.cache
def gpus_here() -> tuple[str, ...]:
    """Return the GPUs that this process may use; nvidia-smi, which takes a second, is asked once."""
    return tuple(visible_gpus())


def check_planned(checked: Checked) -> None:
    """Add what a run of the jobs to do needs: facts, and errors if it is more than there is."""
    everything = checked.cost.jobs()
    todo = to_do(checked.cost)
    price = f": {checked.cost.price(todo)}" if todo else ""
    checked.facts.append(f"{len(everything):,} jobs, {len(todo):,} without a result{price}")
    checked.facts += [line for line, _ in _disks(checked.cost, todo)]
    missing = lacks(checked, todo)
    if checked.config.anyway:
        checked.warnings += map(str, missing)
    else:
        checked.errors += missing


def lacks(checked: Checked, todo: Sequence[Job]) -> list[InputError]:
    """Return what some jobs need and this machine lacks: room on its disks, a GPU for long work."""
    other = f"set output or downloads to another disk, or keep: {{models: final}}; {ANYWAY}"
    disks = _disks(checked.cost, todo)
    errors = [InputError(HERE, line, other) for line, is_enough in disks if not is_enough]
    hours = checked.cost.total_hours(todo, "gpu")
    if hours > LONG and not checked.asked.submits and not gpus_here():
        problem = f"{hours:,.0f} GPU-hours planned, and no GPU"
        advice = f"name a cluster's --profile, or make fewer tables; {ANYWAY}"
        errors.append(InputError(HERE, problem, advice))
    return errors


def _disks(cost: Cost, todo: Sequence[Job]) -> Iterator[tuple[str, bool]]:
    """Yield for each disk of the two folders what the jobs write there, and whether there is room."""
    # The scratch of one training at a time, at least.
    planned = {"output": max((cost.need(job).scratch for job in todo), default=0.0)}
    planned["downloads"] = 0.0
    for job in todo:
        key = "downloads" if STAGES[job.stage].work == "download" else "output"
        planned[key] += cost.need(job).disk
    folders: dict[int, Path] = {}
    sums: dict[int, float] = {}
    for key, megabytes in planned.items():
        folder = Path(getattr(cost.config, key)).resolve()
        while not folder.is_dir():
            folder = folder.parent
        disk = folder.stat().st_dev
        folders.setdefault(disk, folder)
        sums[disk] = sums.get(disk, 0.0) + megabytes
    for disk, folder in folders.items():
        free = shutil.disk_usage(folder).free / 1e6
        line = f"disk: {size(sums[disk])} planned, {size(free)} free at {folder}"
        yield line, sums[disk] <= free
