"""What a run is going to do, in a few lines: jobs of each stage, what runs again, and why.

``snakemake -n`` alone prints this in place of some twelve lines for each job. With an option that
asks for Snakemake's own listing, such as ``-np`` or ``--quiet``, it stands below that. A start is
refused that would take results of other settings for current: Snakemake compares the parameters of
a job with its own notes, which `--touch` writes anew; a record holds a digest of the settings that
its stage was given.
"""

import atexit
import contextlib
import logging
import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from snakemake.common import NOTHING_TO_BE_DONE_MSG
from snakemake.logging import logger
from snakemake_interface_logger_plugins.common import LogEvent

from semblance.counts import counted, text_table
from semblance.errors import BAD_INPUT
from workflow.controller.changes import Parts, describe_changes, few, note_code, parts_of_code
from workflow.controller.check import Checked, lacks
from workflow.costing.model import Cost, is_of_other_settings
from workflow.planning.plan import Plan
from workflow.planning.stages import STAGES, Job, jobs, record

END = "nothing was started; `snakemake -np` lists each job, `semblance plan` prices each stage"
HEAD = ("stage", "jobs", "done", "new", "again")
MOST = 10  # reasons that are printed
NAMED = 4  # stages that are named in one line, the rest counted
DERIVED = "they read what this run makes"


class _OnPlan(logging.Filter):
    """Looks at the plan once, as soon as Snakemake has said what is to be done.

    Ends the process with one line if a result is stale, or if this machine lacks what the jobs to
    do need. In a dry run it lets warnings pass alone, and prints the short form at the end.
    """

    def __init__(self, workflow, checked: Checked):
        super().__init__()
        self.workflow = workflow
        self.checked = checked
        self.asked = checked.asked
        self.is_done = False

    def filter(self, event: logging.LogRecord) -> bool:
        """Tell whether a line is printed."""
        is_short = self.asked.dry_run and not self.asked.lists_jobs
        planned = getattr(event, "event", None) == LogEvent.RUN_INFO
        if not self.is_done and (planned or event.getMessage() == NOTHING_TO_BE_DONE_MSG):
            self.is_done = True
            self._refuse()
            if self.asked.dry_run:
                atexit.register(lambda: print(describe(self.workflow.dag, self.checked.cost)))
            if planned and is_short:
                sys.exit()  # before Snakemake makes the texts of all jobs, which nobody sees
        return not is_short or event.levelno >= logging.WARNING

    def _refuse(self) -> None:
        """End the process if this start must not be; an exception would be printed with code."""
        stale = find_stale(self.workflow.dag, self.asked.touches)
        if stale:
            print(f"error: {stale}", file=sys.stderr)
            sys.exit(BAD_INPUT)
        if self.asked.touches:  # it makes nothing
            return
        missing = lacks(self.checked, to_do(self.workflow.dag, self.checked.cost.plan))
        missing = [error for error in missing if str(error) not in self.checked.warnings]
        stops = self.asked.starts_jobs and not self.checked.config.anyway
        for error in missing:
            print(f"{'error' if stops else 'warning'}: {error}", file=sys.stderr)
        if missing and stops:
            sys.exit(BAD_INPUT)


def watch_plan(workflow, checked: Checked) -> None:
    """Compare the plan with results and machine as soon as there is one; print a dry run's short form."""
    logger.addFilter(_OnPlan(workflow, checked))


def to_do(dag, plan: Plan) -> list[Job]:
    """Return the jobs that Snakemake is going to run; a module may rename their rules."""
    by_record = {record(plan, job): job for job in jobs(plan)}
    planned = dag.needrun_jobs(exclude_finished=False)
    made = [str(file) for job in planned for file in job.output]
    return [by_record[file] for file in made if file in by_record]


def find_stale(dag, touches: bool) -> str:
    """Return which results of other settings this start would take for current; "" if it takes none."""
    to_do = set(dag.needrun_jobs(exclude_finished=False))
    if touches:
        changed = [job for job in to_do if dag.reason(job).params_changed or _is_stale(job)]
        if changed:
            results = f"{counted(len(changed), 'result')} of other settings current"
            example = min(map(_record, changed))
            return f"--touch would call {results}, such as {example}; start without it"
    stale = [job for job in dag.jobs if job.output and job not in to_do and _is_stale(job)]
    if stale:
        rules = " ".join(sorted({job.rule.name for job in stale}))
        problem = f"{counted(len(stale), 'result')} of other settings than the plan's"
        advice = f"make them again: --forcerun {rules}"
        return f"{problem}, such as {min(map(_record, stale))}; {advice}"
    return ""


def _record(job) -> str:
    return str(job.output.get("record"))


def _is_stale(job) -> bool:
    """Tell whether a job's record says that other settings made it."""
    if not job.shellcmd or not Path(_record(job)).is_file():
        return False
    return is_of_other_settings(_record(job), shlex.split(job.shellcmd))


def describe(dag, cost: Cost) -> str:
    """Return the short form."""
    plan = read_plan(dag, parts_of_code(cost.plan.out))
    if not plan.new and not plan.again:
        return f"Nothing to be done: jobs that are done: {plan.jobs.total():,}"
    lines = [*format_table(plan), f"estimated: {cost.price(to_do(dag, cost.plan))}"]
    return "\n".join([*lines, *format_reasons(plan), END])


def explain_start(workflow, out: str) -> None:
    """Print which finished jobs a run makes again, and why; note what code its jobs run."""
    with contextlib.suppress(OSError):  # only a help for readers: a full disk is reported elsewhere
        for line in format_reasons(read_plan(workflow.dag, parts_of_code(out))):
            print(line, file=sys.stderr)
        note_code(out)


class Planned(NamedTuple):
    """The jobs of a plan, counted by stage; ``again`` counts (stage, why) of those made again."""

    jobs: Counter[str]
    new: Counter[str]
    again: Counter[tuple[str, str]]


def read_plan(dag, parts: Parts) -> Planned:
    """Return what a run would do. ``dag`` is Snakemake's; ``parts``: the modules of code digests."""
    plan = Planned(Counter(), Counter(), Counter())
    plan.jobs.update(stage_of(job) for job in dag.jobs if job.output)  # a target makes nothing
    for job in dag.needrun_jobs(exclude_finished=False):
        # Of a job that failed, Snakemake deletes the outputs.
        if any(Path(file).exists() for file in job.output):
            why = "; ".join(_reasons(dag.reason(job), job, parts)) or DERIVED
            plan.again[stage_of(job), why] += 1
        elif job.output:
            plan.new[stage_of(job)] += 1
    return plan


def stage_of(job) -> str:
    """Return the stage of a job: each data set has a rule of its own to download it."""
    name = job.rule.name
    if name.startswith("download_") and name != "download_model":
        return "download"
    return name


def _reasons(reason, job, parts: Parts) -> Iterator[str]:
    """Yield why a finished job runs again."""
    if reason.forced:
        yield "it was asked for"
    if reason.incomplete_output:
        yield "it was killed before its end"
    if reason.missing_output:
        yield f"missing output: {few(sorted(map(str, reason.missing_output)), 'file', 1)}"
    if reason.params_changed:
        changed = reason.params_changed
        names = {repr(value): name for name, value in job.params.items()}
        yield from describe_changes(changed.only_old, changed.only_new, names, parts)
    if reason.code_changed:
        yield "its command in the rules changed"
    if reason.input_changed:
        yield "it reads other files than before"
    if reason.updated_input:
        yield f"changed input: {few(sorted(map(str, reason.updated_input)), 'file', 1)}"


def format_table(plan: Planned) -> list[str]:
    """Return the counts of the stages that have something to do, and of all together."""
    again: Counter[str] = Counter()
    for (stage, _), number in plan.again.items():
        again[stage] += number
    rows: list[Sequence[str | int]] = [HEAD]
    for stage in STAGES:
        planned, new, redone = plan.jobs[stage], plan.new[stage], again[stage]
        if new or redone:
            rows.append((stage, planned, planned - new - redone, new, redone))
    planned, new, redone = plan.jobs.total(), plan.new.total(), again.total()
    rows.append(("in all", planned, planned - new - redone, new, redone))
    return text_table(rows)


def format_reasons(plan: Planned) -> list[str]:
    """Return a line for each reason for which finished jobs are made again, first the causes."""
    by_reason: dict[str, Counter[str]] = {}
    for (stage, why), number in sorted(plan.again.items()):
        by_reason.setdefault(why, Counter())[stage] += number
    derived = by_reason.pop(DERIVED, None)
    lines = [f"again: {_stages(stages)}: {why}" for why, stages in by_reason.items()]
    if len(lines) > MOST:
        lines = [*lines[:MOST], f"again: for {counted(len(lines) - MOST, 'more reason')}"]
    if derived:
        lines.append(f"again: {_stages(derived)}: {DERIVED}")
    return lines


def _stages(stages: Counter[str]) -> str:
    """Name the first few stages of jobs, and how many jobs of each."""
    named = [f"{stage} ({counted(number, 'job')})" for stage, number in stages.items()]
    return few(named, "stage", NAMED)
