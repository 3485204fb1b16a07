"""What the one process that plans and starts jobs does beside that; jobs do none of it.

Only here, and in the modules beside this one, is anything of Snakemake used that is not in its
documentation: parts of its ``Workflow`` object, and its files in ``.snakemake``.
"""

import contextlib
import sys
import time

from snakemake.exceptions import WorkflowError
from snakemake.settings.types import DeploymentMethod

from semblance.errors import InputError
from semblance.gpus import visible_gpus
from semblance.locks import NoLocks
from workflow.controller import failures, lock, slurm
from workflow.documentation.results import write_readme

PATIENCE = 30.0  # seconds that a start waits for another controller to leave the folder
STARTED = time.time()
# Snakemake's default limit of starts in a time, which is never reached: 100 a second.
DEFAULT_LIMIT = (100, 1)


def settle_earlier_runs(out: str, arguments: list[str]) -> None:
    """Clear away what killed runs on ``out`` left: locks, and jobs on a cluster.

    ``arguments`` are those of snakemake: a dry run does not touch jobs.
    """
    lock.take_over(out)
    if slurm.is_dry(arguments) or not slurm.has_runs(out) or not lock.is_deserted(out):
        return
    try:
        slurm.settle_earlier(out)
    except slurm.Unanswered as error:
        problem = f"cannot learn what became of an earlier run's jobs: {error}"
        raise WorkflowError(problem) from None


def limit_gpu_jobs(workflow, jobs_per_gpu: int) -> None:
    """Let no more jobs run at a time than this machine's GPUs can take.

    A limit that the user has set stays. On a cluster the scheduler limits the jobs: ``nodes`` holds
    its number of jobs, and is None for the local executor alone.
    """
    settings = workflow.resource_settings
    if settings.nodes is not None or "gpu" in settings.resources:
        return
    try:
        gpus = len(visible_gpus())
    except InputError as error:
        raise WorkflowError(str(error)) from None
    if gpus:
        workflow.register_resource("gpu", gpus * jobs_per_gpu)


def begin(workflow, out: str, logs: list[str]) -> None:
    """Take ``out`` for this controller alone, and say in its README.md what lies where.

    ``logs`` are Snakemake's: they name the jobs of this run.
    """
    try:
        held = lock.hold(out, seconds=PATIENCE)
    except NoLocks:
        held = True  # Snakemake's own lock must do
    if not held:
        raise WorkflowError(
            f"another snakemake works on {out}: wait for it, or give this run another output folder"
        )
    slurm.note_run(out, logs)
    with contextlib.suppress(OSError):  # only a help for readers: a full disk is told elsewhere
        write_readme(out)
    _stop_needless_looks(workflow)


def _stop_needless_looks(workflow) -> None:
    """Switch off Snakemake's default limit of starts in a time; a limit of the user's own stays.

    Under a limit, Snakemake 9.27 orders a new look at the queue after each look. The looks after a
    finished job start one more such chain, which never ends: after 80 jobs they took a quarter of
    a core, and ever more.
    """
    limit = workflow.scheduling_settings.max_jobs_per_timespan
    if limit and (limit.max_jobs, limit.timespan) == DEFAULT_LIMIT:
        workflow.scheduler.job_rate_limiter = None


def end(out: str) -> None:
    """Note that all jobs of this run have ended."""
    slurm.forget_runs(out)


def print_failures() -> None:
    """Print what is known of the batch jobs that failed since this process began."""
    text = failures.report(failures.SLURM_LOGS, STARTED)
    if text:
        print(text, file=sys.stderr)


def uses_conda(workflow) -> bool:
    """Tell whether jobs run in environments that conda makes."""
    return DeploymentMethod.CONDA in workflow.deployment_settings.deployment_method
