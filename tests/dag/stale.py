"""What Snakemake would make again in a project, job by job, and which of it is stale of itself.

``python stale.py --configfile tiny.yaml`` prints a line for each job of the plan: its rule, its
wildcards, whether it would run, whether it is stale of itself (its settings, its code, which files it
reads or what is in them), and the numbers of the jobs that read from it.
"""

import json
import sys

from snakemake import cli
from snakemake.workflow import Workflow


def print_jobs(workflow: Workflow) -> None:
    """Build the DAG as ``--dag`` does, and print the jobs in place of the graph."""
    workflow._prepare_dag(forceall=False, ignore_incomplete=False, lock_warn_only=True)
    workflow._build_dag()
    dag = workflow.dag
    jobs = [job for job in dag.jobs if job.output]  # a target makes nothing
    numbers = {job: number for number, job in enumerate(jobs)}
    to_run = set(dag.needrun_jobs(exclude_finished=False))
    for job in jobs:
        stale = job in to_run and is_stale(workflow, job)
        readers = [numbers[reader] for reader in dag.depending[job] if reader in numbers]
        print(json.dumps([job.rule.name, dict(job.wildcards_dict), job in to_run, stale, readers]))


def is_stale(workflow: Workflow, job) -> bool:
    """Tell whether a job would run even if all that it reads were up to date.

    Snakemake's notes are asked: of a job whose input is made again it looks for no second reason.
    """
    reason, notes = workflow.dag.reason(job), workflow.persistence
    if reason.missing_output or reason.updated_input or reason.incomplete_output:
        return True
    changed = (notes.params_changed(job), *notes.input_changed(job), *notes.code_changed(job))
    return any(changed)


if __name__ == "__main__":
    Workflow.printdag = print_jobs
    sys.argv = ["snakemake", *sys.argv[1:], "--nolock", "--dag"]
    cli.main()
