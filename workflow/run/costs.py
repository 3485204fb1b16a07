"""What jobs cost: how long each takes, what its rule asks of a scheduler, and the price of many."""

import contextlib
import functools
import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from semblance.counts import counted, duration, size
from semblance.errors import InputError
from semblance.fetch.manifest import Dataset, load_manifest
from semblance.provenance import circumstances, read_object, settings_digest
from workflow.checks.load import load_files
from workflow.config.model import Config
from workflow.planning.plan import Plan
from workflow.planning.stages import (
    STAGES,
    TARGET,
    Job,
    inputs,
    log,
    makers,
    record,
    training_settings,
)
from workflow.planning.stages import jobs as all_jobs
from workflow.run.needs import Needs
from workflow.run.sizes import Sizes

# How fast work goes before any was measured here: estimates.
GFLOPS = {  # a second, of one data-centre GPU (an H200 trains at 16,000 to 19,000) and of one thread
    "gpu": {"train": 15000, "read": 40000},
    "cpu": {"train": 150, "read": 250},
}
START = {"gpu": 10, "cpu": 2}  # seconds for interpreter, libraries and weights
ENOUGH = 2  # trainings by which times are predicted
SLIGHT = 0.1  # programs that want one core: a load that no price names
WITHOUT_MODEL = 3  # seconds of a job that runs no model
OF_MODELS = ("train", "read")  # the kinds of work with models

# What reading a record raises that is missing, damaged or of an earlier version.
UNREADABLE = (InputError, OSError, ArithmeticError, LookupError, TypeError, ValueError)

SAFETY = 2  # times the predicted seconds
MARGIN = 10  # minutes more
LEAST_RUNTIME = 30  # minutes
MEMORY_SAFETY = 1.5  # times the predicted MB
LEAST_MEMORY = 2000  # MB
MEMORY = 8000  # MB, of a job whose need is not known
NESTED = 250  # MB: the two Snakemakes around a scheduled job (226 measured)


class Machine(NamedTuple):
    """What a stage's jobs run on, ``gpu`` or ``cpu``, and the cores to ask for: one to feed a GPU."""

    machine: str
    cores: int

    @property
    def units(self) -> int:
        """Return the GPUs or threads, by which rates and hours count."""
        return 1 if self.machine == "gpu" else self.cores


class Cost:
    """The questions that rules and ``semblance plan`` ask of one validated config.

    ``need(job)`` is what a job needs; its seed makes no difference.
    ``measured`` jobs say how much longer work takes here, apart for trainings and for models that are
    read: jobs of some seconds, most of them for loading libraries, tell nothing of an hour's training.
    """

    def __init__(self, config: Config, manifest: Mapping[str, Dataset]):
        self.config = config
        self.plan = Plan(config)
        self.device = "gpu" if config.resources.gpus else "cpu"
        self.measured: set[Job] = set()
        self._used: Counter[str] = Counter()  # seconds by kind of work
        self._predicted: Counter[str] = Counter()
        self.targets = [TARGET]
        self.needs = Needs(self.plan, Sizes(self.plan, manifest), self.device)
        self.places = {stage: self._place(stage) for stage in STAGES}
        of_alike = functools.cache(self.needs.of)
        self.need = functools.cache(lambda job: of_alike(job._replace(seed=0)))

    def jobs(self) -> list[Job]:
        """Return every job that the targets need: a whole run, or some tables alone."""
        return all_jobs(self.plan, tuple(self.targets))

    def asks(self, job: Job, attempt: int = 1) -> dict[str, int]:
        """Return the resources that a rule asks for: runtime in minutes, mem_mb, cpus_per_task.

        Each new attempt asks for as much more time, up to the config's longest.
        """
        minutes = 10 * math.ceil((SAFETY * self.seconds(job) / 60 + MARGIN) / 10)
        memory = MEMORY
        if needed := self.need(job).memory:
            memory = max(LEAST_MEMORY, 500 * math.ceil((MEMORY_SAFETY * needed + NESTED) / 500))
        longest = self.config.resources.max_runtime
        return {
            "runtime": min(longest, max(LEAST_RUNTIME, minutes) * attempt),
            "mem_mb": memory,
            "cpus_per_task": self.places[job.stage].cores,
        }

    def seconds(self, job: Job) -> float:
        """Return the seconds that a job is predicted to take."""
        return self.factor(STAGES[job.stage].work) * self._estimated_seconds(job)

    def _estimated_seconds(self, job: Job, share: float = 1.0) -> float:
        """Return the seconds of a job, or of a ``share`` of its work, by the estimates alone."""
        if not STAGES[job.stage].uses_model:
            return WITHOUT_MODEL
        place = self.places[job.stage]
        speed = place.units * GFLOPS[place.machine][STAGES[job.stage].work]
        return START[place.machine] + share * self.need(job).work / speed

    def learn(self, job: Job, seconds: float, share: float = 1.0) -> None:
        """Take into account how long a job, or a ``share`` of its work, took here."""
        work = STAGES[job.stage].work
        if STAGES[job.stage].uses_model:
            self.measured.add(job)
        self._used[work] += seconds
        self._predicted[work] += self._estimated_seconds(job, share)

    def factor(self, work: str) -> float:
        """Return how many times as long as estimated a kind of work takes.

        Work with a model, of which none was measured, takes as many times as long as other such work.
        """
        known = [work] if self._predicted[work] or work not in OF_MODELS else OF_MODELS
        predicted = sum(self._predicted[each] for each in known)
        return sum(self._used[each] for each in known) / predicted if predicted else 1.0

    def can_predict(self, left: Iterable[Job]) -> bool:
        """Tell whether enough was measured to say how long the jobs that are left take.

        That is two trainings where one is left, else two jobs of any model, or as many as there are.
        """
        left = {job for job in left if STAGES[job.stage].uses_model}
        trainings = {job for job in left if STAGES[job.stage].work == "train"}
        measured = self.measured
        if trainings:
            measured = {job for job in measured if STAGES[job.stage].work == "train"}
        return len(measured) >= min(ENOUGH, len(measured | (trainings or left)))

    def total_hours(self, some: Iterable[Job], machine: str) -> float:
        """Return the GPU-hours ("gpu") or the core-hours ("cpu") of some jobs."""
        places = ((job, self.places[job.stage]) for job in some)
        return sum(p.units * self.seconds(job) / 3600 for job, p in places if p.machine == machine)

    def disk(self, some: Iterable[Job]) -> float:
        """Return the MB that some jobs write and leave."""
        return sum(self.need(job).disk for job in some)

    def price(self, some: Sequence[Job]) -> str:
        """Return what some jobs cost, in one line."""
        gpu, cpu = (self.total_hours(some, machine) for machine in ("gpu", "cpu"))
        hours = f"{gpu:,.1f} GPU-hours, {cpu:,.1f} core-hours on an idle machine"
        return f"{hours}, {size(self.disk(some))} of outputs"

    def _place(self, stage: str) -> Machine:
        if not STAGES[stage].uses_model:
            return Machine("cpu", 1)
        section = "training" if STAGES[stage].work == "train" else stage
        threads = getattr(self.config, section).threads
        return Machine(self.device, threads + (self.device == "gpu"))


def estimates(
    overlays: Iterable[str], output: str | None = None, tables: Iterable[str] = ()
) -> Cost:
    """Return the costs of config files laid over ``config.yaml``, by the estimates alone.

    ``output`` takes the place of the config's output folder. With ``tables`` the jobs are those of
    these tables alone. Raises InputError as ``load`` does, and for a table that is not there.
    """
    config = load_files(overlays, output)
    cost = Cost(config, load_manifest(config.manifest))
    cost.targets = makers(cost.plan, tables) or cost.targets
    return cost


def to_do(cost: Cost) -> list[Job]:
    """Return the jobs without a record, the trainings of other settings, and all that read their results.

    What a change of other settings or of code makes stale, `snakemake -n` alone knows.
    """
    waiting: dict[Job, bool] = {}

    def waits(job: Job) -> bool:
        if job not in waiting:
            waiting[job] = _is_new(cost, job) or any(map(waits, inputs(cost.plan, job)))
        return waiting[job]

    return [job for job in cost.jobs() if waits(job)]


def _is_new(cost: Cost, job: Job) -> bool:
    """Tell whether a job has no record, or is a training that other settings made."""
    path = record(cost.plan, job)
    if not os.path.isfile(path):  # a Path for each of thousands takes longer than the look
        return True
    if STAGES[job.stage].work != "train":
        return False
    return is_of_other_settings(path, ["--settings", training_settings(cost.plan, job)])


def is_of_other_settings(path: str, arguments: Sequence[str]) -> bool:
    """Tell whether a record says that other arguments made it; one of an earlier version does not."""
    with contextlib.suppress(InputError):  # a damaged record is refused by the job that reads it
        return read_object(path).get("given") not in (None, settings_digest(arguments))
    return False


def measure(cost: Cost, since: float = 0.0, seconds: Mapping[str, float] | None = None) -> None:
    """Learn from the jobs that finished ``since`` a time how long work takes here.

    ``seconds``: of a job by its log, with its start, in place of those that its record states. Long
    jobs count most. A job on another device than the config's tells nothing, nor does a damaged
    record. A training may have stopped early.
    """
    for job in cost.jobs():
        path = record(cost.plan, job)
        with contextlib.suppress(*UNREADABLE):
            if os.stat(path).st_mtime < since:
                continue
            facts = read_object(path)
            is_training = STAGES[job.stage].work == "train"
            share = facts["training"]["step"] / facts["steps"] if is_training else 1.0
            took = (seconds or {}).get(log(job)) or float(circumstances(path)["seconds"])
            if str(facts.get("device", cost.device)).startswith("cpu") == (cost.device == "cpu"):
                cost.learn(job, took, share)


def wall_time(seconds: float, places: int, what: str = "core") -> str:
    """Return how long work takes on so many idle cores or GPUs, and on cores as busy as now.

    The scheduler of the system shares the cores among all that want one: with a load of as many
    programs as cores, a run has half of each.
    """
    said = f"{duration(seconds)} on {counted(places, f'idle {what}')}"
    load = os.getloadavg()[0] / (os.cpu_count() or 1)  # programs that want one core
    if load < SLIGHT or what != "core":
        return said
    busy = f"{places * min(load, 1):.1f} of {counted(places, 'core')} are busy"
    return f"{said}; {busy}: some {duration(seconds * (1 + load))}"
