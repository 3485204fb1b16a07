"""What finished jobs used, by their records and benchmarks, and the rates that follow from it."""

import csv
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from typing import NamedTuple

from semblance.download.manifest import load_manifest
from semblance.errors import InputError
from semblance.provenance import read_object
from workflow.costing.model import Cost
from workflow.costing.rates import Rate, shipped
from workflow.planning.config import laid_over, load
from workflow.planning.stages import STAGES, Job, jobs, log, record


class Used(NamedTuple):
    """What one finished job used, in seconds and MB; ``memory`` is None where nothing measured it.

    ``share`` is the part of its steps after which early stopping ended a training, else 1.
    """

    job: Job
    seconds: float
    memory: float | None
    disk: float
    device: str
    share: float


def estimates(overlays: Iterable[str], output: str | None = None) -> Cost:
    """Return the costs of config files laid over ``config.yaml``, by the shipped rates alone.

    ``output`` takes the place of the config's output folder. Raises InputError as ``load`` does.
    """
    config = laid_over(["config.yaml", *overlays])
    if output:
        config["output"] = output
    config = load(config)
    return Cost(config, load_manifest(config["manifest"]), shipped(), {})


def finished(cost: Cost) -> list[Used]:
    """Return what each finished job of a config used; a job whose record is damaged is left out."""
    found = []
    for job in jobs(cost.plan):
        try:
            found.append(_used(cost, job))
        except (InputError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            continue
    return found


def _used(cost: Cost, job: Job) -> Used:
    path = Path(record(cost.plan, job))
    facts = read_object(path)
    outputs = [path.parent / name for name in facts["outputs"]]
    measured, memory = _benchmark(Path(cost.plan.out, f"{log(job)}.tsv"))
    device = facts.get("device", cost.device)  # an evaluation's record names none
    training = STAGES[job.stage].work == "train"
    return Used(
        job=job,
        seconds=max(float(facts["seconds"]), measured),
        memory=memory,
        disk=sum(file.stat().st_size for file in outputs if file.is_file()) / 1e6,
        device="cpu" if device.startswith("cpu") else "gpu",
        share=facts["training"]["step"] / facts["steps"] if training else 1.0,
    )


def _benchmark(path: Path) -> tuple[float, float | None]:
    """Return the seconds of a job's last attempt and its peak MB; (0, None) where none are noted."""
    try:
        row = next(csv.DictReader(path.open(encoding="utf-8"), delimiter="\t"))
        return float(row["s"]), float(row["max_rss"])
    except (OSError, StopIteration, KeyError, TypeError, ValueError):
        return 0.0, None


def learn(cost: Cost, finished: Iterable[Used]) -> dict[str, Rate]:
    """Return the median speeds of finished jobs that run a model: on any base, and on each.

    A job on another device tells nothing, nor does one whose start should outweigh its work.
    """
    speeds: dict[str, list[float]] = defaultdict(list)
    for used in finished:
        key = cost.rate_key(used.job.stage)
        start = cost.start(used.job.stage)
        work = used.share * cost.need(used.job).work
        telling = STAGES[used.job.stage].uses_model and used.device == cost.device
        if telling and work / cost.rate(used.job).rate > start:
            speed = work / max(used.seconds - start, used.seconds / 2)
            speeds[key].append(speed)
            speeds[f"{key}/{used.job.base}"].append(speed)
    return {key: Rate(median(some), len(some)) for key, some in sorted(speeds.items())}
