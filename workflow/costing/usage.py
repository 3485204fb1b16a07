"""What finished jobs used, by their records and benchmarks, and the rates that follow from it."""

import contextlib
import csv
import re
from collections import defaultdict
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

from semblance.download.manifest import load_manifest
from semblance.errors import InputError
from semblance.files import open_regular, open_text
from semblance.provenance import MOST_TEXT, read_object
from workflow.costing.model import SHARE, Cost
from workflow.costing.rates import Rate, shipped
from workflow.planning.config import load_files
from workflow.planning.stages import STAGES, Job, jobs, log, record

# What semblance.training.keeping.heartbeat prints of a running training.
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


class Told(NamedTuple):
    """A line of progress of a training: its step, all its steps, and steps a second."""

    step: float
    steps: float
    rate: float


def estimates(overlays: Iterable[str], output: str | None = None) -> Cost:
    """Return the costs of config files laid over ``config.yaml``, by the shipped rates alone.

    ``output`` takes the place of the config's output folder. Raises InputError as ``load`` does.
    """
    config = load_files(overlays, output)
    return Cost(config, load_manifest(config["manifest"]), shipped(), {})


def finished(cost: Cost) -> list[Used]:
    """Return what each finished job of a config used; a job whose record is damaged is left out."""
    found = []
    for job in jobs(cost.plan):
        with contextlib.suppress(*DAMAGED):
            found.append(_used(cost, job))
    return found


def _used(cost: Cost, job: Job) -> Used:
    facts = read_object(record(cost.plan, job))
    seconds, memory = _benchmark(Path(cost.plan.out, f"{log(job)}.tsv"))
    share = 1.0
    if STAGES[job.stage].work == "train":
        share = facts["training"]["step"] / facts["steps"]
    return Used(
        job=job,
        seconds=max(float(facts["seconds"]), seconds),
        memory=memory,
        share=share,
        on_cpu=facts.get("device", cost.device).startswith("cpu"),
    )


def running(cost: Cost) -> list[Used]:
    """Return what each training without a record had used at the last line of its log."""
    found = []
    for job in jobs(cost.plan):
        if STAGES[job.stage].work == "train" and not Path(record(cost.plan, job)).exists():
            told = last_progress(cost, job)
            if told is not None:
                with contextlib.suppress(*DAMAGED):
                    found.append(_used_so_far(cost, job, told))
    return found


def last_progress(cost: Cost, job: Job) -> Told | None:
    """Return what the last line of progress in a training's log says; None without such a line."""
    lines = PROGRESS.findall(_end_of(Path(cost.plan.out, f"{log(job)}.log")))
    with contextlib.suppress(*DAMAGED):
        return Told(*map(float, lines[-1]))
    return None


def _used_so_far(cost: Cost, job: Job, told: Told) -> Used:
    seconds = cost.start(job.stage) + told.step / told.rate
    return Used(job, seconds, None, told.step / told.steps, cost.device == "cpu")


def _end_of(path: Path) -> str:
    """Return the end of a log; nothing of one that is not there."""
    try:
        with open_regular(path) as stream:
            stream.seek(max(0, path.stat().st_size - END_OF_LOG))
            return stream.read(END_OF_LOG).decode(errors="replace")
    except (InputError, OSError):
        return ""


def _benchmark(path: Path) -> tuple[float, float | None]:
    """Return the seconds of a job's last attempt and its peak MB; (0, None) where none are noted."""
    try:
        with open_text(path, MOST_TEXT) as handle:
            row = next(csv.DictReader(handle, delimiter="\t"))
        return float(row["s"]), float(row["max_rss"])
    except (InputError, OSError, StopIteration, KeyError, TypeError, ValueError):
        return 0.0, None


def learn(cost: Cost, done: Iterable[Used]) -> dict[str, Rate]:
    """Return the median speeds of jobs that run a model, finished or not: on any base, and on each.

    No start takes longer than the shortest job. A job on another device tells nothing, nor does the
    speed of one whose start should outweigh its work, nor that of one that also fits classifiers.
    """
    found = _learn_starts(cost, done := list(done))
    speeds: dict[str, list[float]] = defaultdict(list)
    for used in filter(partial(_tells_speed, cost), done):
        place = cost.places[used.job.stage]
        start = found.get(place.start, Rate(cost.start(used.job.stage))).rate
        work = used.share * cost.need(used.job).work
        if work / cost.rate(used.job).rate > start:
            speed = work / max(used.seconds - start, used.seconds / 2)
            speeds[place.rate].append(speed)
            speeds[f"{place.rate}/{used.job.base}"].append(speed)
    return found | {key: Rate(median(some), len(some)) for key, some in sorted(speeds.items())}


def _tells_speed(cost: Cost, used: Used) -> bool:
    """Tell whether a job only ran a model, on the device that the config asks for."""
    on_device = used.on_cpu == (cost.device == "cpu")
    return STAGES[used.job.stage].uses_model and on_device and not cost.need(used.job).fits


def _learn_starts(cost: Cost, done: Iterable[Used]) -> dict[str, Rate]:
    """Return the seconds of the shortest job of each kind, where a start was taken to be longer."""
    shown: dict[str, list[Used]] = defaultdict(list)
    for used in done:
        uses_model = STAGES[used.job.stage].uses_model
        if used.share == 1 and (not uses_model or used.on_cpu == (cost.device == "cpu")):
            shown[cost.places[used.job.stage].start].append(used)
    found = {}
    for name, some in sorted(shown.items()):
        seconds = min(used.seconds for used in some)
        if 0 < seconds < cost.start(some[0].job.stage):
            found[name] = Rate(seconds, len(some))
    return found


def learn_shares(finished: Iterable[Used]) -> dict[str, Rate]:
    """Return the median part of its steps that a training took, for each stage that stops early."""
    shares: dict[str, list[float]] = defaultdict(list)
    for used in finished:
        if STAGES[used.job.stage].work == "train":
            shares[f"{SHARE}/{used.job.stage}"].append(used.share)
    stopped = {key: some for key, some in shares.items() if min(some) < 1}
    return {key: Rate(median(some), len(some)) for key, some in sorted(stopped.items())}
