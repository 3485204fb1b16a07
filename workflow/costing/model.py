"""How long each job takes, and what its rule asks of a scheduler for it."""

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from semblance.config.model import Config
from semblance.fetch.manifest import Dataset
from workflow.costing.needs import Need, Needs
from workflow.costing.rates import Factor
from workflow.costing.sizes import Sizes
from workflow.planning.plan import Plan
from workflow.planning.stages import STAGES, TARGET, Job, jobs

SAFETY = 2  # times the predicted seconds
MARGIN = 10  # minutes more
LEAST_RUNTIME = 30  # minutes
MEMORY_SAFETY = 1.5  # times the predicted MB
LEAST_MEMORY = 2000  # MB
LIGHT = "light"  # what starts a job that runs no model; others start by their device
NESTED = 250  # MB: the two Snakemakes around a scheduled job (226 measured)


class Machine(NamedTuple):
    """What a stage's jobs run on: a GPU, or threads of a CPU.

    ``units`` are GPUs or threads, by which rates and hours count; ``cores`` are those to ask for,
    one more to feed a GPU; ``start`` and ``rate`` are the two names in rates.yaml.
    """

    machine: str
    units: int
    cores: int
    start: str
    rate: str


class Cost:
    """The questions that rules and ``make plan`` ask of one validated config.

    ``shipped`` is the content of rates.yaml; ``factor`` is how much longer work takes here.
    """

    def __init__(
        self,
        config: Config,
        manifest: Mapping[str, Dataset],
        shipped: dict[str, Any],
        factor: Factor = Factor(),
    ):
        self.config = config
        self.plan = Plan(config)
        self.device = "gpu" if config.resources.gpus else "cpu"
        self.max_runtime = config.resources.max_runtime
        self.shipped = shipped
        self.factor = factor
        self.targets = [TARGET]
        sizes = Sizes(self.plan, manifest, shipped["texts"])
        self.needs = Needs(self.plan, sizes, self.device, shipped["bf16"][self.device])
        self.places = {stage: self._place(stage) for stage in STAGES}
        self._known: dict[Job, Need] = {}

    def jobs(self) -> list[Job]:
        """Return every job that the targets need: a whole run, or some tables alone."""
        return jobs(self.plan, self.targets)

    def asks(self, job: Job, attempt: int = 1) -> dict[str, int]:
        """Return the resources that a rule asks for: runtime in minutes, mem_mb, cpus_per_task.

        Each new attempt asks for as much more; the runtime never passes the config's longest.
        """
        minutes = _up(SAFETY * self.seconds(job) / 60 + MARGIN, 10)
        memory = _up(MEMORY_SAFETY * self.need(job).memory + NESTED, 500)
        return {
            "runtime": min(self.max_runtime, max(LEAST_RUNTIME, minutes) * attempt),
            "mem_mb": max(LEAST_MEMORY, memory) * attempt,
            "cpus_per_task": self.places[job.stage].cores,
        }

    def need(self, job: Job) -> Need:
        """Return what a job needs; its seed makes no difference."""
        job = job._replace(seed=0)
        if job not in self._known:
            self._known[job] = self.needs.of(job)
        return self._known[job]

    def seconds(self, job: Job, share: float = 1.0) -> float:
        """Return the seconds that a job is predicted to take, or that a ``share`` of its work is."""
        need = self.need(job)
        fitting = 0.0
        if need.fits:
            fitting = need.fits / (self.shipped["fit"] * self._threads(job.stage))
        place = self.places[job.stage]
        working = need.work / (place.units * self.shipped["rates"][place.rate])
        return self.factor.value * (self.start(job.stage) + share * (working + fitting))

    def hours(self, job: Job) -> float:
        """Return the GPU-hours of a job, or the core-hours of one without a GPU."""
        return self.places[job.stage].units * self.seconds(job) / 3600

    def total_hours(self, some: Iterable[Job], machine: str) -> float:
        """Return the GPU-hours ("gpu") or the core-hours ("cpu") of some jobs."""
        return sum(self.hours(job) for job in some if self.places[job.stage].machine == machine)

    def start(self, stage: str) -> float:
        """Return the estimated seconds before and around the work of a stage's jobs."""
        return self.shipped["start"][self.places[stage].start]

    def _place(self, stage: str) -> Machine:
        work = STAGES[stage].work
        if not STAGES[stage].uses_model:
            rate = stage if stage in self.shipped["rates"] else work
            return Machine("cpu", 1, 1, LIGHT, rate)
        threads = self._threads("training" if work == "train" else stage)
        if self.device == "gpu":
            return Machine("gpu", 1, threads + 1, "gpu", f"gpu/{work}")
        return Machine("cpu", threads, threads, "cpu", f"cpu/{work}")

    def _threads(self, section: str) -> int:
        return getattr(self.config, section).threads


def _up(value: float, step: int) -> int:
    """Return the next multiple of ``step``."""
    return step * math.ceil(value / step)
