"""Say what a configuration will cost before anything runs: jobs, hours, memory, disk, submissions.

With the names of tables it counts what these need, and nothing else: semblance plan rcl_table3

Reads the config files, the manifest and the records of finished jobs, which say how fast this machine
is; uses no network, starts no job.
"""

import argparse
from collections import defaultdict
from collections.abc import Sequence

from semblance import layout
from semblance.counts import counted, duration, size, text_table
from semblance.provenance import canonical
from workflow.planning.plan import collect_rarely, deletes_models
from workflow.planning.stages import STAGES, Job, submissions
from workflow.run.costs import Cost, estimates, measure, to_do
from workflow.run.needs import CHECKPOINTS, UNKNOWN_MILLION, WITHOUT_WEIGHTS
from workflow.scripts import cli

HEAD = ("stage", "jobs", "to do", "on", "hours", "to do", "longest", "memory", "disk")


def parser() -> argparse.ArgumentParser:
    flags = cli.command("semblance plan", __doc__)
    cli.add_configs_and_tables(flags)
    cli.add_output(flags)
    cli.add_json(flags)
    return flags


def main(argv: list[str]) -> None:
    args = parser().parse_args(argv)
    collect_rarely()
    configs, tables = cli.configs_and_tables(args.configs)
    cost = estimates(configs, args.output, tables)
    measure(cost)
    print(canonical(plan_facts(cost)) if args.json else plan_page(cost))


def plan_facts(cost: Cost) -> dict[str, dict]:
    """Return of all jobs, of those still to do, and of each stage: jobs, hours, and MB of outputs."""
    everything, todo = cost.jobs(), to_do(cost)

    def facts(some: Sequence[Job]) -> dict[str, float]:
        hours = {f"{m}_hours": cost.total_hours(some, m) for m in ("gpu", "cpu")}
        return {"jobs": len(some), **hours, "disk": cost.disk(some)}

    stages = {stage: facts(some) for stage, some in _by_stage(everything).items()}
    return {"all": facts(everything), "to_do": facts(todo), "stages": stages}


def plan_page(cost: Cost) -> str:
    """Return the table of all jobs and of those still to do (``to_do``), of at most 100 columns."""
    everything = cost.jobs()
    todo = to_do(cost)
    some, left = _by_stage(everything), _by_stage(todo)
    rows = [HEAD]
    rows += [_row(cost, stage, some[stage], left[stage]) for stage in STAGES if stage in some]
    return "\n".join([*text_table(rows), "", *_totals(cost, everything, todo)])


def _by_stage(some: Sequence[Job]) -> dict[str, list[Job]]:
    jobs: defaultdict[str, list[Job]] = defaultdict(list)
    for job in some:
        jobs[job.stage].append(job)
    return jobs


def _row(cost: Cost, stage: str, some: Sequence[Job], left: Sequence[Job]) -> Sequence[str | int]:
    machine = cost.places[stage].machine
    memory = max(cost.need(job).memory for job in some)
    return (
        stage,
        len(some),
        len(left),
        machine,
        f"{cost.total_hours(some, machine):,.1f}",
        f"{cost.total_hours(left, machine):,.1f}",
        duration(max(map(cost.seconds, some))),
        size(memory) if memory else "-",
        size(cost.disk(some)),
    )


def _totals(cost: Cost, everything: Sequence[Job], todo: Sequence[Job]) -> list[str]:
    source = "no job has been measured yet"
    if cost.measured:
        train, read = (f"{cost.factor(work):.2f}" for work in ("train", "read"))
        source = f"trainings took {train} times as long, others {read} ({counted(len(cost.measured), 'job')})"
    scratch = size(max(cost.need(job).scratch for job in everything))
    lines = [
        f"in all: {cost.price(everything)}",
        f"to do:  {cost.price(todo)}",
        f"disk: up to {scratch} more for the {CHECKPOINTS} checkpoints of each running training",
    ]
    if not deletes_models(cost.config):
        models = [job for job in everything if job.stage in layout.DELETE_WEIGHTS]
        final = cost.disk(everything) - cost.disk(models) + WITHOUT_WEIGHTS * len(models)
        lines.append(f"disk with keep: {{models: final}}: {size(final)} of outputs in the end")
    bases = {job.base for job in everything if job.stage == "download_model"}
    if guessed := sorted(bases & cost.needs.guessed):
        lines.append(
            f"models: {', '.join(guessed)}: no size is stated (bases.NAME.million_parameters); "
            f"counted as {UNKNOWN_MILLION:g} million parameters"
        )
    return [
        *lines,
        f"submissions to a scheduler: {submissions(cost.plan, everything):,} for "
        f"{counted(len(everything), 'job')}, {submissions(cost.plan, todo):,} for the "
        f"{len(todo):,} to do",
        "to do: jobs without a result, trainings of other settings, and what reads them; `snakemake -n`",
        "counts and prices also what other settings and changed code make again",
        f"times: estimates for an idle machine; {source}",
    ]
