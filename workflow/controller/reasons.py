"""Which jobs of a plan are done, new or to be made again, and why: Snakemake's answers, grouped."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from semblance.counts import counted
from workflow.controller.changes import Parts, describe_changes
from workflow.planning.stages import STAGES

TABLE = "{:17}  {:>6}  {:>6}  {:>6}  {:>6}"
HEAD = ("stage", "jobs", "done", "new", "again")
MOST = 10  # reasons that are printed
MOST_STAGES = 15  # that have a line each
NAMED = 4  # stages that are named in one line, the rest counted
DERIVED = "they read what this run makes"


class Again(NamedTuple):
    """A job whose result is there and is made again."""

    stage: str
    why: str


class Plan(NamedTuple):
    """The jobs of a plan, counted by stage, and those that are made again."""

    jobs: Counter
    new: Counter
    again: tuple[Again, ...]


def read_plan(dag, parts: Parts) -> Plan:
    """Return what a run would do. ``dag`` is Snakemake's; ``parts``: the modules of code digests."""
    jobs = [job for job in dag.jobs if job.output]  # a target rule makes nothing
    to_do = [job for job in dag.needrun_jobs(exclude_finished=False) if job.output]
    new = [stage_of(job) for job in to_do if not _is_made(job)]
    again = [Again(stage_of(job), why_again(dag, job, parts)) for job in to_do if _is_made(job)]
    return Plan(Counter(map(stage_of, jobs)), Counter(new), tuple(sorted(again)))


def _is_made(job) -> bool:
    """Tell whether something of a job's outputs is there; Snakemake deletes those of a failed one."""
    return any(Path(file).exists() for file in job.output)


def stage_of(job) -> str:
    """Return the stage of a job: each data set has a rule of its own to download it."""
    name = job.rule.name
    if name.startswith("download_") and name != "download_model":
        return "download"
    return name


def why_again(dag, job, parts: Parts) -> str:
    """Return why a finished job runs again."""
    return "; ".join(_reasons(dag.reason(job), job, parts)) or DERIVED


def _reasons(reason, job, parts: Parts) -> Iterator[str]:
    if reason.forced:
        yield "it was asked for"
    if reason.incomplete_output:
        yield "it was killed before its end"
    if reason.missing_output:
        yield _files("missing output", reason.missing_output)
    if reason.params_changed:
        changed = reason.params_changed
        names = {repr(value): name for name, value in job.params.items()}
        yield from describe_changes(changed.only_old, changed.only_new, names, parts)
    if reason.code_changed:
        yield "its command in the rules changed"
    if reason.input_changed:
        yield "it reads other files than before"
    if reason.updated_input:
        yield _files("changed input", reason.updated_input)


def _files(what: str, files: Iterable) -> str:
    first, *others = sorted(map(str, files))
    if others:
        return f"{what}: {first} and {counted(len(others), 'more file')}"
    return f"{what}: {first}"


def format_table(plan: Plan) -> list[str]:
    """Return the counts of the stages that have something to do, and of all together."""
    again = Counter(job.stage for job in plan.again)
    active = [stage for stage in STAGES if plan.new[stage] or again[stage]]
    lines = [TABLE.format(*HEAD), "-" * len(TABLE.format(*HEAD))]
    for line, stages in _grouped(active).items():
        jobs = sum(plan.jobs[stage] for stage in stages)
        new = sum(plan.new[stage] for stage in stages)
        redone = sum(again[stage] for stage in stages)
        lines.append(_count_row(line, jobs, new, redone))
    return [*lines, _count_row("in all", plan.jobs.total(), plan.new.total(), again.total())]


def _grouped(stages: list[str]) -> dict[str, list[str]]:
    """Return the stages by the name of their line: each its own, if they are not too many.

    Of many, those without a model share a line by their kind of work.
    """
    if len(stages) <= MOST_STAGES:
        return {stage: [stage] for stage in stages}
    lines: dict[str, list[str]] = {}
    for stage in stages:
        line = stage if STAGES[stage].uses_model else STAGES[stage].work
        lines.setdefault(line, []).append(stage)
    return lines


def _count_row(name: str, jobs: int, new: int, again: int) -> str:
    return TABLE.format(name, *(f"{n:,}" for n in (jobs, jobs - new - again, new, again)))


def format_reasons(plan: Plan) -> list[str]:
    """Return a line for each reason for which finished jobs are made again, first the causes."""
    by_reason: dict[str, Counter] = {}
    for job in plan.again:
        by_reason.setdefault(job.why, Counter())[job.stage] += 1
    derived = by_reason.pop(DERIVED, None)
    lines = [f"again: {_stages(stages)}: {why}" for why, stages in by_reason.items()]
    if len(lines) > MOST:
        lines = [*lines[:MOST], f"again: for {counted(len(lines) - MOST, 'more reason')}"]
    if derived:
        lines.append(f"again: {_stages(derived)}: {DERIVED}")
    return lines


def _stages(stages: Counter) -> str:
    """Name the stages of jobs, and how many jobs of each."""
    named = [f"{stage} ({counted(number, 'job')})" for stage, number in stages.items()]
    if len(named) > NAMED:
        others = sum(list(stages.values())[NAMED:])
        named = [*named[:NAMED], f"{counted(others, 'more job')}"]
    return ", ".join(named)
