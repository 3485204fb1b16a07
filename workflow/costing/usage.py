"""What finished jobs used, by their records and benchmarks, and how fast this machine is."""

import contextlib
import csv
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from semblance.errors import InputError
from semblance.fetch.manifest import load_manifest
from semblance.files import open_regular
from semblance.provenance import read_object, settings_digest
from workflow.costing.model import Cost
from workflow.costing.rates import Factor, shipped
from workflow.planning.config import load_files
from workflow.planning.stages import STAGES, Job, inputs, log, makers, record, training_settings

# What semblance.training.keeping.log prints of a running training.
PROGRESS = re.compile(r": step (\d+) of (\d+), loss \S+, ([\d.e+-]+) steps/s, ")
END_OF_LOG = 4096  # bytes
DAMAGED = (InputError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


class Used(NamedTuple):
    """What one job used, in seconds and MB; ``memory`` is None where nothing measured it.

    ``share`` is the part of its steps that a training took until its early stopping, or that a
    running one has done; else 1. ``on_cpu`` goes by the record, or by the config where no record
    names a device.
    """

    job: Job
    seconds: float
    memory: float | None
    share: float
    on_cpu: bool


class Line(NamedTuple):
    """A line of progress of a training: its step, all its steps, and steps a second."""

    step: float
    steps: float
    rate: float


def estimates(
    overlays: Iterable[str], output: str | None = None, tables: Iterable[str] = ()
) -> Cost:
    """Return the costs of config files laid over ``config.yaml``, by the shipped rates alone.

    ``output`` takes the place of the config's output folder. With ``tables`` the jobs are those of
    these tables alone. Raises InputError as ``load`` does, and for a table that is not there.
    """
    config = load_files(overlays, output)
    cost = Cost(config, load_manifest(config.manifest), shipped())
    cost.targets = makers(cost.plan, tables) or cost.targets
    return cost


def to_do(cost: Cost) -> list[Job]:
    """Return the jobs without a record, the trainings of other settings, and all that read their results.

    What a change of other settings or of code makes stale, `snakemake -n` alone knows.
    """
    known: dict[Job, bool] = {}

    def waits(job: Job) -> bool:
        if job not in known:
            known[job] = _is_new(cost, job) or any(map(waits, inputs(cost.plan, job)))
        return known[job]

    return [job for job in cost.jobs() if waits(job)]


def _is_new(cost: Cost, job: Job) -> bool:
    """Tell whether a job has no record, or is a training whose record says that other settings made it."""
    path = record(cost.plan, job)
    if STAGES[job.stage].work != "train" or not Path(path).is_file():
        return not Path(path).is_file()
    return is_of_other_settings(path, ["--settings", training_settings(cost.plan, job)])


def is_of_other_settings(path: str, arguments: Sequence[str]) -> bool:
    """Tell whether a record says that other arguments made it; one of an earlier version does not."""
    with contextlib.suppress(InputError):  # a damaged record is refused by the job that reads it
        return read_object(path).get("given") not in (None, settings_digest(arguments))
    return False


def finished(cost: Cost) -> list[Used]:
    """Return what each finished job of a config used; a job whose record is damaged is left out."""
    found = []
    for job in cost.jobs():
        with contextlib.suppress(*DAMAGED):
            found.append(_used(cost, job))
    return found


def _used(cost: Cost, job: Job) -> Used:
    facts = read_object(record(cost.plan, job))
    seconds = _benchmark(Path(cost.plan.out, f"{log(job)}.tsv"))
    share = 1.0
    if STAGES[job.stage].work == "train":
        share = facts["training"]["step"] / facts["steps"]
    return Used(
        job=job,
        seconds=max(float(facts["seconds"]), seconds),
        memory=facts.get("memory"),
        share=share,
        on_cpu=facts.get("device", cost.device).startswith("cpu"),
    )


def running(cost: Cost) -> list[Used]:
    """Return what each training without a record had used at the last line of its log."""
    found = []
    for job in cost.jobs():
        if STAGES[job.stage].work == "train" and not Path(record(cost.plan, job)).exists():
            line = last_progress(cost, job)
            if line:
                seconds = cost.start(job.stage) + line.step / line.rate
                on_cpu = cost.device == "cpu"
                found.append(Used(job, seconds, None, line.step / line.steps, on_cpu))
    return found


def last_progress(cost: Cost, job: Job) -> Line | None:
    """Return what the last line of progress in a training's log says; None if it tells no speed."""
    path = Path(cost.plan.out, f"{log(job)}.log")
    try:
        with open_regular(path) as stream:
            stream.seek(max(0, path.stat().st_size - END_OF_LOG))
            end = stream.read(END_OF_LOG).decode(errors="replace")
        line = Line(*map(float, PROGRESS.findall(end)[-1]))
        return line if line.rate > 0 and line.steps > 0 else None
    except (InputError, OSError, LookupError, ValueError):
        return None


def _benchmark(path: Path) -> float:
    """Return the seconds of a job's last attempt, its start included; 0 where none are noted."""
    try:
        with open(path, encoding="utf-8", newline="") as handle:
            return float(next(csv.DictReader(handle, delimiter="\t"))["s"])
    except (InputError, OSError, StopIteration, KeyError, TypeError, ValueError):
        return 0.0


def measured(cost: Cost, done: Iterable[Used]) -> Factor:
    """Return how many times as long as by the shipped rates the jobs took that ran a model.

    It is the ratio of the two sums, in which long jobs count most. A job on another device than the
    config's tells nothing.
    """
    some = [
        used
        for used in done
        if STAGES[used.job.stage].uses_model and used.on_cpu == (cost.device == "cpu")
    ]
    if not some:
        return Factor()
    predicted = sum(cost.seconds(used.job, used.share) for used in some)
    seconds = sum(used.seconds for used in some)
    return Factor(cost.factor.value * seconds / predicted, len(some))
