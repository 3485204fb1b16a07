"""How long each job takes, and what its rule asks of a scheduler for it."""

import math
from collections.abc import Mapping
from typing import Any

from semblance.download.manifest import Dataset
from workflow.costing.needs import Need, Needs
from workflow.costing.rates import Rate
from workflow.costing.sizes import Sizes
from workflow.planning.plan import Plan
from workflow.planning.stages import STAGES, Job

SAFETY = 2  # times the predicted seconds
MARGIN = 10  # minutes more
LEAST_RUNTIME = 30  # minutes
MEMORY_SAFETY = 1.5  # times the predicted MB
LEAST_MEMORY = 2000  # MB
NESTED = 250  # MB: the two Snakemakes around a scheduled job (226 measured)


class Cost:
    """The questions that rules, ``make plan`` and ``make cost`` ask of one validated config.

    ``shipped`` is the content of rates.yaml; the rates in ``learned`` are used in place of its own.
    """

    def __init__(
        self,
        config: dict,
        manifest: Mapping[str, Dataset],
        shipped: dict[str, Any],
        learned: Mapping[str, Rate],
    ):
        self.config = config
        self.plan = Plan(config)
        self.device = "gpu" if config["resources"]["gpus"] else "cpu"
        self.max_runtime: int = config["resources"]["max_runtime"]
        self.shipped = shipped
        self.learned = learned
        sizes = Sizes(self.plan, manifest, shipped["texts"])
        self.needs = Needs(sizes, self.device, shipped["bf16"][self.device])
        self._known: dict[Job, Need] = {}

    def asks(self, job: Job, attempt: int = 1) -> dict[str, int]:
        """Return the resources that a rule asks for: runtime in minutes, mem_mb, cpus_per_task.

        Each new attempt asks for as much more; the runtime never passes the config's longest.
        """
        minutes = _up(SAFETY * self.seconds(job) / 60 + MARGIN, 10)
        memory = _up(MEMORY_SAFETY * self.need(job).memory + NESTED, 500)
        feeding = 1 if self.machine(job.stage) == "gpu" else 0  # a core feeds the GPU
        return {
            "runtime": min(self.max_runtime, max(LEAST_RUNTIME, minutes) * attempt),
            "mem_mb": max(LEAST_MEMORY, memory) * attempt,
            "cpus_per_task": self.threads(job.stage) + feeding,
        }

    def need(self, job: Job) -> Need:
        """Return what a job needs; its seed makes no difference."""
        job = job._replace(seed=0)
        if job not in self._known:
            self._known[job] = self.needs.of(job)
        return self._known[job]

    def seconds(self, job: Job) -> float:
        """Return the seconds that a job is predicted to take."""
        return self.start(job.stage) + self.need(job).work / self.rate(job).rate

    def hours(self, job: Job) -> float:
        """Return the GPU-hours of a job, or the core-hours of one without a GPU."""
        cores = 1 if self.machine(job.stage) == "gpu" else self.threads(job.stage)
        return cores * self.seconds(job) / 3600

    def start(self, stage: str) -> float:
        """Return the seconds that a job takes before and around its work."""
        return self.shipped["start"][self.device if STAGES[stage].uses_model else "light"]

    def rate(self, job: Job) -> Rate:
        """Return the rate of a job: measured on its base, or on any base, or estimated."""
        key = self.rate_key(job.stage)
        threads = 1 if self.machine(job.stage) == "gpu" else self.threads(job.stage)
        measured = self.learned.get(f"{key}/{job.base}") or self.learned.get(key)
        return measured or Rate(threads * self.shipped["rates"][key])

    def rate_key(self, stage: str) -> str:
        """Return the name of a stage's rate: MACHINE/WORK if it runs a model, else its own."""
        if STAGES[stage].uses_model:
            return f"{self.device}/{STAGES[stage].work}"
        return stage

    def machine(self, stage: str) -> str:
        """Return the machine that a stage runs on: gpu or cpu."""
        return self.device if STAGES[stage].uses_model else "cpu"

    def threads(self, stage: str) -> int:
        """Return the threads that a stage computes with."""
        if not STAGES[stage].uses_model:
            return 1
        return self.config["training" if STAGES[stage].work == "train" else stage]["threads"]


def _up(value: float, step: int) -> int:
    """Return the next multiple of ``step``."""
    return step * math.ceil(value / step)
