# What the one process that plans and starts jobs does beside it; the processes inside of jobs do none of this.
# Needs: OUT, GPUS, JOBS_PER_GPU. Holds OUT for this controller alone.
import time

from semblance.models.devices import visible_gpus
from workflow import failures, lock

STARTED = time.time()

if workflow.is_main_process:
    lock.take_over(OUT)
    if slurm.has_runs(OUT) and not slurm.is_dry(sys.argv) and lock.is_deserted(OUT):
        try:
            slurm.settle_earlier(OUT)
        except slurm.Unanswered as error:
            raise WorkflowError(f"cannot learn what became of an earlier run's jobs: {error}")
    # Every executor but the local one is given `jobs`, here called nodes: its GPUs are not this machine's.
    if GPUS and workflow.resource_settings.nodes is None and "gpu" not in workflow.resource_settings.resources:
        try:
            here = len(visible_gpus())
        except InputError as error:
            raise WorkflowError(str(error))
        if here:
            workflow.register_resource("gpu", here * JOBS_PER_GPU)


onstart:
    try:
        if not lock.hold(OUT, seconds=30):
            raise WorkflowError(f"another snakemake works on {OUT}: wait for it, or give this run another output folder")
    except lock.NoLocks:
        pass
    slurm.note_run(OUT, log)


onsuccess:
    slurm.forget_runs(OUT)


onerror:
    if told := failures.report(".snakemake/slurm_logs", STARTED):
        print(told, file=sys.stderr)
