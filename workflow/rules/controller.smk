# What the one process that plans and starts jobs does beside it; the processes inside of jobs do none of this.
# Needs: OUT, GPUS, JOBS_PER_GPU. Holds OUT for this controller alone.
import time

from semblance.gpus import visible_gpus
from workflow.controller import failures, lock

STARTED = time.time()

if workflow.is_main_process:
    lock.take_over(OUT)
    if slurm.has_runs(OUT) and not slurm.is_dry(sys.argv) and lock.is_deserted(OUT):
        try:
            slurm.settle_earlier(OUT)
        except slurm.Unanswered as error:
            raise WorkflowError(f"cannot learn what became of an earlier run's jobs: {error}")
    # Every executor but the local one is given `jobs`, here called nodes: its GPUs are not this machine's.
    if (
        GPUS
        and workflow.resource_settings.nodes is None
        and "gpu" not in workflow.resource_settings.resources
    ):
        try:
            here = len(visible_gpus())
        except InputError as error:
            raise WorkflowError(str(error))
        if here:
            workflow.register_resource("gpu", here * JOBS_PER_GPU)


onstart:
    try:
        if not lock.hold(OUT, seconds=30):
            raise WorkflowError(
                f"another snakemake works on {OUT}: wait for it, or give this run another output folder"
            )
    except lock.NoLocks:
        pass
    slurm.note_run(OUT, log)
    # Under a limit of starts in a time, Snakemake 9.27 orders a new look at the queue after each look. Those after a
    # finished job start one more such chain, for ever: after 80 jobs they took a quarter of a core, and ever more.
    # The default limit (100 a second) is never reached; a user's own stays.
    limit = workflow.scheduling_settings.max_jobs_per_timespan
    if limit and (limit.max_jobs, limit.timespan) == (100, 1):
        workflow.scheduler.job_rate_limiter = None


onsuccess:
    slurm.forget_runs(OUT)


onerror:
    if told := failures.report(".snakemake/slurm_logs", STARTED):
        print(told, file=sys.stderr)
