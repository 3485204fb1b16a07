"""What this project changes or reads in Snakemake though its documentation does not promise it.

It stands here alone, each part with its reason; tests/unit/run/test_private.py fails when
Snakemake changes one of them. Of its ``Workflow`` and its plan, ``hooks`` and ``preview`` read public
attributes only. Events come by Python's ``logging``, with the records that Snakemake makes for its
logger plugins. A plugin itself cannot be named in profiles/default: the command ``snakemake`` looks
for plugins among installed packages, not in this folder, and without it every start is a usage error.
It would also get the records in a thread of its own, after the end of the run is printed.
"""

import functools
import os
from base64 import urlsafe_b64encode
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from threading import RLock

# The message with which the executor for Slurm names all jobs of a run.
RUN_ID = "SLURM run ID: "
# One file for each output that Snakemake made.
NOTES = Path(".snakemake/metadata")
# In what Snakemake logs as errors when jobs failed, beside its events of them: the exception of a
# command, and a last line. And what it logs of a signal that ends a run.
FAILED = ("CalledProcessError in file", "Exiting because a job execution failed")
BY_USER = "Terminating processes on user request"  # at Ctrl-C
STOPPING = (BY_USER, "Will exit after finishing")
# Snakemake's default of the largest file, in bytes, that it compares by its content, and ours.
COMPARED, ALL_COMPARED = 10**6, 10**11
# Snakemake's default limit of starts in a time, which is never reached: 100 a second.
DEFAULT_LIMIT = (100, 1)


def mend_scheduler(workflow) -> None:
    """Keep Snakemake 9.27 from waiting for itself at a SIGTERM, and from ever more looks at the queue."""
    # The handler of SIGTERM takes this lock in the thread that may hold it, and would wait for itself
    # for ever: that thread may take it twice.
    workflow.scheduler._lock = RLock()
    # Under a limit, each look at the queue orders a new one. The looks after a finished job start one
    # more such chain, which never ends: after 80 jobs they took a quarter of a core, and ever more.
    # A limit of the user's own stays.
    limit = workflow.scheduling_settings.max_jobs_per_timespan
    if limit and (limit.max_jobs, limit.timespan) == DEFAULT_LIMIT:
        workflow.scheduler.job_rate_limiter = None


def uncolour(logger) -> None:
    """Let Snakemake's own handler of the terminal write without colours, since a log gets its lines."""
    for handler in logger.handlers:
        if handler.name == "DefaultStreamHandler":
            handler.nocolor = True


def inspect_functions_once() -> None:
    """Let Snakemake inspect each function of the rules once, and not anew for each job."""
    from snakemake import common, rules  # slow to load, and not needed to read events

    once = functools.cache(common.get_function_params)
    common.get_function_params = rules.get_function_params = once


def keep_words_about_groups() -> None:
    """Let Snakemake log what an executor says of a failed group, as it does of a failed job."""
    from snakemake.jobs import GroupJob  # slow to load, and not needed to read events

    log_error = GroupJob.log_error

    def log_with_words(self, msg=None, **facts):
        log_error(self, **{"rule_msg": msg} | facts)

    GroupJob.log_error = log_with_words


class _Readers(Mapping):
    """Who reads what a job makes, as Snakemake's plan asks it; nobody of a job that is only repeated.

    ``repeated`` are those: each has finished before, by the same parameters and command and from the
    same files, and has lost an output, or its weights were deleted after their use. A job that reads
    what a job of another kind makes is none, and stands in ``others``.
    """

    def __init__(self, dag):
        self.dag = dag
        self.all = dag.depending
        self.repeated: set = set()
        self.others: set = set()

    def __getitem__(self, job) -> Mapping:
        if job not in self.others and self._is_repeated(job):
            self.repeated.add(job)
            return {}
        return self.all[job]

    def __iter__(self) -> Iterator:
        return iter(self.all)

    def __len__(self) -> int:
        return len(self.all)

    def _is_repeated(self, job) -> bool:
        notes, reason = self.dag.workflow.persistence, self.dag.reason(job)
        if not reason.missing_output or reason.forced or not notes.has_metadata(job):
            return False
        changed = (notes.params_changed(job), *notes.input_changed(job), *notes.code_changed(job))
        return not any(changed)


def follow_changes_alone(on_new_plan: Callable[[], None]) -> None:
    """Let Snakemake run, after a job that is only repeated, no other job as long as the files are equal.

    Snakemake 9.27 runs all that follows a job, without a look at what the job has made: a record that
    was deleted, and came back with the same bytes, cost every training that reads it. Now the plan
    has the job alone. If it makes another file than before, the plan is made anew, as Snakemake does
    after a checkpoint, and ``on_new_plan`` called; a next start would find the same by its checksums.
    """
    from snakemake.dag import DAG  # slow to load, and not needed to read events

    plan, finish = DAG.update_needrun, DAG.update_checkpoint_dependencies

    async def plan_changes(dag, create_inventory: bool = False) -> None:
        # Without profiles/default, new dates of larger files would make their readers run again.
        if dag.max_checksum_file_size == COMPARED:
            dag.max_checksum_file_size = ALL_COMPARED
            dag.workflow.persistence.max_checksum_file_size = ALL_COMPARED
        readers = dag.depending = _Readers(dag)
        try:
            await plan(dag, create_inventory)
            while late := {job for job in readers.repeated if dag.reason(job).updated_input_run}:
                readers.others |= late
                readers.repeated -= late
                await plan(dag)
        finally:
            dag.depending = readers.all
        dag.repeated = readers.repeated

    async def plan_again(dag, jobs: Collection | None = None) -> bool:
        updated = await finish(dag, jobs)
        for job in dag.repeated.intersection(jobs or ()):
            if await _makes_others(dag, job):
                await dag.postprocess_after_update()
                on_new_plan()
                return True
        return updated

    DAG.update_needrun, DAG.update_checkpoint_dependencies = plan_changes, plan_again


async def _makes_others(dag, job) -> bool:
    """Tell whether a job has made a file that is not as its readers, who have run before, noted it."""
    for reader, files in dag.depending[job].items():
        for file in files if reader.output and not dag.needrun(reader) else ():
            noted = dag.workflow.persistence.input_checksums(reader, file)
            limit = dag.max_checksum_file_size
            if len(noted) != 1 or not await file.is_same_checksum(noted.pop(), limit):
                return True
    return False


def note_of(path: str | os.PathLike) -> Path:
    """Return where Snakemake notes how a file was made, from which it tells what has changed.

    It is the file's name in base64, cut into folders where that is too long for one name.
    """
    longest = os.pathconf(NOTES, "PC_NAME_MAX") - 1
    name = urlsafe_b64encode(os.fsencode(path)).decode()
    parts = [name[first : first + longest] for first in range(0, len(name), longest)]
    return NOTES.joinpath(*(f"@{part}" for part in parts[:-1]), parts[-1])
