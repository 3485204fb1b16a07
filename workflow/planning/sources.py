"""Which data sets and bases a plan downloads, and the places that may have them."""

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from semblance.fetch.wanted import OWN_HUB, BaseSource, Hub, Wanted
from workflow.planning.plan import Plan
from workflow.planning.stages import Job, jobs

KEYS = [field.name for field in fields(BaseSource)]  # of a base in the config


def wanted_by(plan: Plan, some: Iterable[Job] | None = None) -> Wanted:
    """Return what some jobs download; without ``some``, what all jobs of a plan do."""
    if some is None:
        some = jobs(plan)
    some = list(some)
    datasets = sorted({job.name for job in some if job.stage == "download"})
    bases = sorted({job.base for job in some if job.stage == "download_model"})
    config = plan.config
    return Wanted(
        manifest=config["manifest"],
        downloads=plan.downloads,
        hub=Hub(config["hub"], config.get("token_hub", OWN_HUB)),
        datasets=tuple(datasets),
        bases={base: _source(config["bases"][base]) for base in bases},
        mirror=config.get("mirror"),
    )


def _source(base: dict[str, Any]) -> BaseSource:
    return BaseSource(**{key: base[key] for key in KEYS if key in base})
