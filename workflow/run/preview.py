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
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from snakemake.common import NOTHING_TO_BE_DONE_MSG
from snakemake.exceptions import WorkflowError
from snakemake.logging import logger
from snakemake_interface_logger_plugins.common import LogEvent

from semblance.counts import counted, text_table
from semblance.errors import BAD_INPUT, InputError
from semblance.provenance import read_object
from workflow.planning.plan import Plan
from workflow.planning.stages import STAGES, Job, jobs, record
from workflow.run.changes import Parts, describe_changes, few, note_code, parts_of_code
from workflow.run.check import Checked, lacks
from workflow.run.command import Command
from workflow.run.costs import Cost, is_of_other_settings

END = "nothing was started; `snakemake -np` lists each job, `semblance plan` prices each stage"
HEAD = ("stage", "jobs", "done", "new", "again")
MOST = 10  # reasons that are printed
NAMED = 4  # stages that are named in one line, the rest counted
DERIVED = "they read what this run makes"
DELETED = "weights that were deleted after their use (keep.models: final) are read again"


class OnPlan(logging.Filter):
    """A filter of Snakemake's lines that looks at the plan once, as soon as there is one.

    Ends the process with one line if a result is stale, or if this machine lacks what the jobs to
    do need. In a dry run it lets warnings pass alone, and prints the short form at the end.
    """

    def __init__(self, workflow, checked: Checked):
        super().__init__()
        self.workflow = workflow
        self.checked = checked
        self.asked = checked.asked
        self.is_done = False
        logger.addFilter(self)

    def filter(self, event: logging.LogRecord) -> bool:
        is_short = self.asked.dry_run and not self.asked.lists_jobs
        planned = getattr(event, "event", None) == LogEvent.RUN_INFO
        if not self.is_done and (planned or event.getMessage() == NOTHING_TO_BE_DONE_MSG):
            self.is_done = True
            self._refuse()
            if self.asked.dry_run:
                atexit.register(lambda: print(short_form(self.workflow.dag, self.checked.cost)))
            if planned and is_short:
                sys.exit()  # before Snakemake makes the texts of all jobs, which nobody sees
        return not is_short or event.levelno >= logging.WARNING

    def _refuse(self) -> None:
        """Stop this start if it must not be."""
        if self.workflow.execution_settings.no_hooks and not self.workflow.dryrun:
            problem = "no note is left of its jobs, which status and the next start read"
            stop([f"--no-hooks: {problem}; leave it out"], self.asked)
        stale = find_stale(self.workflow.dag, self.asked.touches)
        if stale:
            stop([stale], self.asked)
        if self.asked.touches:  # it makes nothing
            return
        missing = lacks(self.checked, to_do(self.workflow.dag, self.checked.cost.plan))
        missing = [error for error in missing if str(error) not in self.checked.warnings]
        if missing and not (self.workflow.dryrun or self.checked.config.anyway):
            stop(missing, self.asked)
        for error in missing:
            print(f"warning: {error}", file=sys.stderr)


def stop(errors: Iterable[object], asked: Command) -> NoReturn:
    """End the process with status 2 and a line for each error; another program gets an exception.

    Of an exception, Snakemake would print a line of the Snakefile, too.
    """
    lines = [f"error: {error}" for error in errors]
    if asked.by_program:
        raise WorkflowError("\n".join(lines))
    print(*lines, sep="\n", file=sys.stderr)
    sys.exit(BAD_INPUT)


def to_do(dag, plan: Plan) -> list[Job]:
    """Return the jobs that Snakemake is going to run."""
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


def short_form(dag, cost: Cost) -> str:
    planned = planned_jobs(dag)
    if not planned:
        made = sum(bool(job.output) for job in dag.jobs)
        return f"Nothing to be done: jobs that are done: {made:,}"
    lines = [*format_table(dag, planned), f"estimated: {cost.price(to_do(dag, cost.plan))}"]
    return "\n".join([*lines, *format_reasons(dag, planned, parts_of_code(cost.plan.out)), END])


def explain_start(workflow, out: str) -> None:
    """Print which finished jobs a run makes again, and why; note what code its jobs run."""
    dag = workflow.dag
    with contextlib.suppress(OSError):  # only a help for readers: a full disk is reported elsewhere
        for line in format_reasons(dag, planned_jobs(dag), parts_of_code(out)):
            print(line, file=sys.stderr)
        note_code(out)


def planned_jobs(dag) -> list:
    """Return the jobs that a run would do, by stage; a target makes nothing. ``dag`` is Snakemake's."""
    planned = [job for job in dag.needrun_jobs(exclude_finished=False) if job.output]
    order = {stage: place for place, stage in enumerate(STAGES)}
    return sorted(planned, key=lambda job: order.get(stage_of(job), len(order)))


def stage_of(job) -> str:
    """Return the stage of a job: each data set has a rule of its own to download it."""
    name = job.rule.name
    if name.startswith("download_") and name != "download_model":
        return "download"
    return name


def _is_again(job) -> bool:
    """Tell whether a job was done before. Of one that failed, Snakemake deletes the outputs."""
    return any(Path(file).exists() for file in job.output)


def format_table(dag, planned: list) -> list[str]:
    """Return the counts of the stages that have something to do, and of all together."""
    every = Counter(stage_of(job) for job in dag.jobs if job.output)
    to_do = Counter(map(stage_of, planned))
    again = Counter(stage_of(job) for job in planned if _is_again(job))
    numbers = {stage: (every[stage], to_do[stage], again[stage]) for stage in to_do}
    numbers["in all"] = (every.total(), to_do.total(), again.total())
    rows: list[Sequence[str | int]] = [HEAD]
    for stage, (jobs_of, to_make, redone) in numbers.items():
        rows.append((stage, jobs_of, jobs_of - to_make, to_make - redone, redone))
    return text_table(rows)


def format_reasons(dag, planned: list, parts: Parts) -> list[str]:
    """Return a line for each reason for which finished jobs are made again, first the causes.

    ``parts``: the modules of code digests. A line counts the jobs that follow from its own ones, and
    the last line has those that follow from new jobs alone.
    """
    again = list(filter(_is_again, planned))
    causes: dict[str, list] = {}
    files: dict[str, set[str]] = {}
    for job in again:
        reason = dag.reason(job)
        reasons = list(_reasons(reason, job, parts))
        # Weights that were deleted after their use are missing as soon as a job reads them: a reason
        # only where nothing else makes them anew.
        if not reasons and reason.missing_output and not reason.updated_input_run:
            reasons = [(DELETED, ())]
        for why, about in reasons:
            causes.setdefault(why, []).append(job)
            files.setdefault(why, set()).update(map(str, about))
    lines = []
    explained: set = set()
    for why, causing in causes.items():
        reached = set(dag.bfs(dag.depending, *causing)) & set(planned)
        explained |= reached
        about = f": {few(sorted(files[why]), 'file', 1)}" if files[why] else ""
        following = ""
        if len(reached) > len(causing):
            following = f"; {counted(len(reached), 'job')} with all that follows"
        lines.append(f"again: {_stages(causing)}: {why}{about}{following}")
    if len(lines) > MOST:
        lines = [*lines[:MOST], f"again: for {counted(len(lines) - MOST, 'more reason')}"]
    if derived := [job for job in again if job not in explained]:
        lines.append(f"again: {_stages(derived)}: {DERIVED}")
    return lines


def _reasons(reason, job, parts: Parts) -> Iterator[tuple[str, Iterable]]:
    """Yield why a finished job runs again, and which files that is about."""
    if reason.forced:
        yield "it was asked for", ()
    if reason.incomplete_output:
        yield "it was killed before its end", ()
    if lost := set(reason.missing_output) - set(job.temp_output):
        yield "missing output", lost
    if changed := reason.params_changed:
        names = {repr(value): name for name, value in job.params.items()}
        for text in describe_changes(changed.only_old, changed.only_new, names, parts):
            yield text, ()
    if reason.code_changed:
        yield "its command in the rules changed", ()
    if reason.input_changed:
        yield "it reads other files than before", ()
    if reason.updated_input:
        versions = other_versions(_record(job), reason.updated_input)
        yield f"changed input{versions}", reason.updated_input


def other_versions(record: str, inputs: Iterable[str]) -> str:
    """Return which versions made the inputs of a job that ran before: ", python 3.11.7 -> 3.12.1"."""
    with contextlib.suppress(InputError, KeyError):  # an input need not be a record
        before = read_object(record)["environment"]
        records = [file for file in inputs if file.endswith(".json")]
        now = {fact for file in records for fact in read_object(file)["environment"].items()}
        new = sorted(now - before.items())
        return "".join(f", {name} {before.get(name)} -> {version}" for name, version in new)
    return ""


def _stages(jobs: Iterable) -> str:
    """Name the first few stages of jobs, and how many jobs of each."""
    counts = Counter(map(stage_of, jobs))
    named = [f"{stage} ({counted(number, 'job')})" for stage, number in counts.items()]
    return few(named, "stage", NAMED)
