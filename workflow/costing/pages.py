"""What ``make plan`` prints: plain text of at most 100 columns."""

from collections.abc import Iterable, Sequence

from semblance import layout
from semblance.counts import counted, duration, size
from workflow.costing.model import Cost
from workflow.costing.needs import CHECKPOINTS, UNKNOWN_MILLION, WITHOUT_WEIGHTS
from workflow.costing.usage import Used, to_do
from workflow.planning.plan import deletes_models
from workflow.planning.stages import STAGES, Job, submissions

PLAN = "{:17}  {:>5}  {:>5}  {:3}  {:>7}  {:>7}  {:>7}  {:>7}  {:>8}"
PLAN_HEAD = ("stage", "jobs", "to do", "on", "hours", "to do", "longest", "memory", "disk")
RULE = "-" * 86
DAY = 24  # hours
GPUS = 8  # of a large node


def plan_page(cost: Cost) -> str:
    """Return the table of all jobs and of those still to do (``usage.to_do``)."""
    everything = cost.jobs()
    todo = to_do(cost)
    lines = [PLAN.format(*PLAN_HEAD), RULE]
    for stage in STAGES:
        some = [job for job in everything if job.stage == stage]
        left = [job for job in todo if job.stage == stage]
        if some:
            lines.append(_plan_row(cost, stage, some, left))
    return "\n".join([*lines, "", *_totals(cost, everything, todo)])


def _plan_row(cost: Cost, stage: str, some: Sequence[Job], left: Sequence[Job]) -> str:
    machine = cost.places[stage].machine
    longest = duration(max(cost.seconds(job) for job in some))
    if _unknown_files(cost, some):
        longest = f"> {longest}"
    return PLAN.format(
        stage,
        f"{len(some):,}",
        f"{len(left):,}",
        machine,
        _hours(cost, some, machine),
        _hours(cost, left, machine),
        longest,
        size(max(cost.need(job).memory for job in some)),
        _outputs(cost, some),
    )


def _outputs(cost: Cost, some: Sequence[Job]) -> str:
    """Return the size of what jobs write; of files whose size nobody states, that they are so."""
    known = sum(cost.need(job).disk for job in some)
    if not _unknown_files(cost, some):
        return size(known)
    if known:
        return f"> {size(known)}"
    return "unknown"


def _unknown_files(cost: Cost, some: Iterable[Job]) -> int:
    return sum(cost.need(job).unknown for job in some)


def _totals(cost: Cost, everything: Sequence[Job], todo: Sequence[Job]) -> list[str]:
    outputs = _outputs(cost, everything)
    scratch = size(max(cost.need(job).scratch for job in everything))
    source = "no job has been measured yet"
    if cost.factor.n:
        source = f"times {cost.factor.value:.2f}, by {counted(cost.factor.n, 'job')} of this run"
    downloads = [job for job in everything if job.stage == "download"]
    raw_data = _outputs(cost, downloads) if downloads else "none to download"
    if unknown := _unknown_files(cost, downloads):
        raw_data += (
            f", {counted(unknown, 'file')} of unknown size (`semblance sources` asks for them)"
        )
    models = []
    bases = {job.base for job in everything if job.stage == "download_model"}
    if guessed := sorted(bases & cost.needs.guessed):
        size_of = (
            f"no size is stated (bases.NAME.million_parameters); counted as {UNKNOWN_MILLION:g}"
        )
        models = [f"models: {', '.join(guessed)}: {size_of} million parameters"]
    return [
        f"GPU-hours: {_hours(cost, everything, 'gpu')} in all, {_hours(cost, todo, 'gpu')} to do"
        + _days(cost.total_hours(todo, "gpu")),
        f"core-hours: {_hours(cost, everything, 'cpu')} in all, {_hours(cost, todo, 'cpu')} to do",
        f"disk: {outputs} of outputs, and up to {scratch} more for the {CHECKPOINTS} checkpoints "
        "of each running training",
        *_disk_of_final_models(cost, everything),
        *_gpu_memory(cost, everything),
        f"raw data: {raw_data}",
        *models,
        f"submissions to a scheduler: {submissions(cost.plan, everything):,} for "
        f"{counted(len(everything), 'job')}, {submissions(cost.plan, todo):,} for the "
        f"{len(todo):,} to do",
        "to do: jobs without a result, trainings of other settings, and what reads them; `snakemake -n`",
        "counts and prices also what other settings and changed code make again",
        f"rates: the estimates of workflow/rates.yaml; {source}",
    ]


def _days(hours: float) -> str:
    """Return how long GPU-hours are, on one GPU and on several, if they are more than a day."""
    if hours <= DAY:
        return ""
    return f": {hours / DAY:,.0f} days on one GPU, {hours / DAY / GPUS:,.1f} on {GPUS}"


def _gpu_memory(cost: Cost, everything: Sequence[Job]) -> list[str]:
    """Return what memory the largest training needs on a GPU, where trainings use one."""
    largest = max(everything, key=lambda job: cost.need(job).gpu_memory)
    megabytes = cost.need(largest).gpu_memory
    if not megabytes:
        return []
    named = " ".join(part for part in largest[1:-1] if part)
    return [f"GPU memory: {size(megabytes)} for the largest training ({named}), in fp32 (estimate)"]


def _disk_of_final_models(cost: Cost, everything: Sequence[Job]) -> list[str]:
    """Return what the outputs need where a config that keeps all models would keep the final ones."""
    if deletes_models(cost.config):
        return []
    weights = [job for job in everything if job.stage in layout.DELETE_WEIGHTS]
    deleted = sum(cost.need(job).disk - WITHOUT_WEIGHTS for job in weights)
    rest = sum(cost.need(job).disk for job in everything) - deleted
    return [f"disk with keep: {{models: final}}: {size(rest)} of outputs in the end"]


def price(cost: Cost, some: Sequence[Job]) -> str:
    """Return what some jobs cost, in one line."""
    gpu, cpu = (_hours(cost, some, machine) for machine in ("gpu", "cpu"))
    return f"{gpu} GPU-hours, {cpu} core-hours, {_outputs(cost, some)} of outputs"


def _hours(cost: Cost, some: Iterable[Job], machine: str) -> str:
    return f"{cost.total_hours(some, machine):,.1f}"


def device_note(cost: Cost, finished: Iterable[Used]) -> str:
    """Say how many finished jobs ran on another device than the plan counts with; else nothing."""
    on_cpu = cost.device != "cpu"  # what the others ran on
    others = [u for u in finished if STAGES[u.job.stage].uses_model and u.on_cpu == on_cpu]
    if not others:
        return ""
    devices = "on a GPU, and this plan counts with the CPU; resources.gpus: 1 changes that"
    if on_cpu:
        devices = "on the CPU, and this plan counts with a GPU; resources.gpus: 0 changes that"
    return f"note: {counted(len(others), 'finished job')} ran {devices}"
