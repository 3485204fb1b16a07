"""The numbers that README and docs tell about the full reproduction, computed from ``config.yaml``.

A page marks the place of each one: ``<!-- count:jobs -->1,388<!-- /count -->``.
"""

import re
from collections import Counter

from semblance.errors import InputError
from workflow.costing.model import Cost
from workflow.planning.stages import jobs, submissions

TRAININGS = ("train", "train_entropy", "train_initial", "train_final", "train_curve")
PLACE = re.compile(r"<!-- count:(\w+) -->.*?<!-- /count -->", re.DOTALL)


def counts(cost: Cost) -> dict[str, str]:
    """Return each number by its name, written as the pages write it."""
    everything = jobs(cost.plan)
    found = Counter(job.stage for job in everything)
    gpu_jobs = [job for job in everything if cost.places[job.stage].machine == "gpu"]
    values = {
        "trainings": sum(found[stage] for stage in TRAININGS),
        "final_models": found["train"] + found["train_final"],
        "entropy_models": found["train_entropy"],
        "initial_models": found["train_initial"],
        "curves": found["train_curve"],
        "jobs": len(everything),
        "submissions": submissions(cost.plan, everything),
        "gpu_hours": round(sum(cost.hours(job) for job in gpu_jobs)),
        "gigabytes": round(sum(cost.need(job).disk for job in everything) / 1000),
    }
    return {name: f"{value:,}" for name, value in values.items()}


def fill_counts(text: str, values: dict[str, str], where: str) -> str:
    """Return a page with the current number at each mark; InputError for an unknown name."""

    def number(place: re.Match) -> str:
        name = place[1]
        if name not in values:
            raise InputError(where, f"no count is named {name!r}", f"use {', '.join(values)}")
        return f"<!-- count:{name} -->{values[name]}<!-- /count -->"

    return PLACE.sub(number, text)
