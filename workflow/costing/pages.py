"""What ``make plan`` and ``make cost`` print: plain text, columns aligned, at most 100 characters wide."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median

from workflow.costing.model import CHECKPOINTS, MODEL_STAGES, Cost, Need
from workflow.costing.rates import ANY, Learned, Rate
from workflow.costing.usage import Used
from workflow.planning.stages import STAGES, Job, jobs, record, submissions

PLAN = ("stage", "jobs", "to do", "on", "hours", "to do", "longest", "memory", "disk", "rate")
COST = (
    "stage",
    "jobs",
    "hours",
    "median",
    "estimate",
    "ratio",
    "learned",
    "ratio",
    "memory",
    "used",
    "disk",
    "used",
)


def plan_page(cost: Cost) -> str:
    """Return the table of all jobs and of those still to do, whose record is not there yet."""
    everything = jobs(cost.plan)
    todo = [job for job in everything if not Path(record(cost.plan, job)).is_file()]
    rows = [
        _plan_row(
            cost,
            stage,
            [j for j in everything if j.stage == stage],
            [j for j in todo if j.stage == stage],
        )
        for stage in STAGES
    ]
    needs = [cost.need(job) for job in everything]
    lines = [_columns([PLAN, *filter(None, rows)], left=(0, 3, 9)), ""]
    for device, unit in (("gpu", "GPU-hours"), ("cpu", "core-hours")):
        lines.append(
            f"{unit}: {hours(cost, everything, device):,.1f} in all, {hours(cost, todo, device):,.1f} to do"
        )
    outputs, scratch = sum(n.disk for n in needs), max(n.scratch for n in needs)
    lines += [
        f"disk: {_size(outputs)} of outputs, and up to {_size(scratch)} more for the {CHECKPOINTS} checkpoints "
        "of each running training",
        f"submissions to a scheduler: {submissions(cost.plan, everything):,} for {len(everything):,} jobs, "
        f"{submissions(cost.plan, todo):,} for the {len(todo):,} to do",
        learned_from(cost.found),
    ]
    return "\n".join(lines) + "\n"


def hours(cost: Cost, some: Iterable[Job], device: str) -> float:
    """Return the GPU-hours of the jobs on GPUs, or the core-hours of those on a CPU."""
    chosen = [job for job in some if cost.device_of(job.stage) == device]
    return (
        sum(
            cost.need(j).seconds * (1 if device == "gpu" else cost.threads(j.stage)) for j in chosen
        )
        / 3600
    )


def learned_from(found: Learned) -> str:
    """Say which rates are estimates and where the others come from."""
    if not found.rates:
        return "rates: estimates (workflow/rates.yaml); no finished job has been measured yet"
    devices = [f"  {n:,} jobs on {name:.70}" for name, n in found.devices.items()]
    said = (
        "rates: the median of n finished jobs where measured (* on another base), by their records"
    )
    return "\n".join([said, *devices])


def _plan_row(
    cost: Cost, stage: str, everything: Sequence[Job], todo: Sequence[Job]
) -> tuple | None:
    if not everything:
        return None
    needs, device = [cost.need(job) for job in everything], cost.device_of(stage)
    return (
        stage,
        f"{len(everything):,}",
        f"{len(todo):,}",
        device,
        f"{hours(cost, everything, device):,.1f}",
        f"{hours(cost, todo, device):,.1f}",
        _duration(max(n.seconds for n in needs)),
        _size(max(n.memory for n in needs)),
        _size(sum(n.disk for n in needs)),
        _source(stage, needs),
    )


def _source(stage: str, needs: Iterable[Need]) -> str:
    rates: set[Rate] = {need.rate for need in needs}
    measured = [rate for rate in rates if rate.n]
    if not measured:
        return "estimate"
    other = "*" if stage in MODEL_STAGES and any(rate.base == ANY for rate in measured) else ""
    return f"{'measured' if len(measured) == len(rates) else 'in part'}{other}, n={sum(rate.n for rate in measured)}"


def cost_page(estimate: Cost, learned: Cost, finished: Sequence[Used]) -> str:
    """Return what finished jobs used beside the estimates for them, and beside what the learned rates give.

    The times are medians, each ratio the median over the jobs of used to predicted.
    """
    if not finished:
        return f"{estimate.plan.out}: no finished job, so nothing to compare; `make plan` says what is to come\n"
    known = set(jobs(estimate.plan))
    stages = {
        stage: [u for u in finished if u.job.stage == stage and u.job in known] for stage in STAGES
    }
    rows = [_cost_row(stage, some, estimate, learned) for stage, some in stages.items() if some]
    strange = len(finished) - sum(map(len, stages.values()))
    total = sum(u.seconds for some in stages.values() for u in some) / 3600
    lines = [
        _columns([COST, *rows], left=(0,)),
        "",
        f"used in all: {total:,.1f} hours of jobs",
        learned_from(learned.found),
    ]
    if strange:
        lines.append(f"{strange} finished jobs that this config does not know are left out")
    return "\n".join(lines) + "\n"


def _cost_row(
    stage: str, finished: Sequence[Used], estimate: Cost, learned: Cost
) -> tuple[str, ...]:
    times = [u.seconds for u in finished]
    cells = [stage, f"{len(finished):,}", f"{sum(times) / 3600:,.2f}", _duration(median(times))]
    for cost in (estimate, learned):
        predicted = [cost.need(u.job).seconds for u in finished]
        cells += [
            _duration(median(predicted)),
            f"{median(t / p for t, p in zip(times, predicted, strict=True)):.2f}",
        ]
    seen = [u.memory for u in finished if u.memory is not None]
    needs = [estimate.need(u.job) for u in finished]
    return (
        *cells,
        _size(max(n.memory for n in needs)),
        _size(max(seen)) if seen else "-",
        _size(sum(n.disk for n in needs)),
        _size(sum(u.disk() for u in finished)),
    )


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 100 * 60 else f"{seconds / 3600:.1f} h"


def _size(megabytes: float) -> str:
    return f"{megabytes:.0f} MB" if megabytes < 1000 else f"{megabytes / 1000:,.1f} GB"


def _columns(rows: Sequence[Sequence[str]], left: Sequence[int]) -> str:
    """Align the cells of rows; the columns in ``left`` at the left, the others at the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    sides = ["<" if i in left else ">" for i in range(len(widths))]
    lines = [
        "  ".join(
            f"{cell:{side}{width}}" for cell, side, width in zip(row, sides, widths, strict=True)
        )
        for row in rows
    ]
    return "\n".join(line.rstrip() for line in [lines[0], "-" * max(map(len, lines)), *lines[1:]])
