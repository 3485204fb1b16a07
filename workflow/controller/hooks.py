"""What the one process that plans and starts jobs does beside that; jobs do none of it.

Only here, and in the modules beside this one, is anything of Snakemake used that is not in its
documentation: parts of its ``Workflow`` object, and its files in ``.snakemake``.
"""

import contextlib
import functools
import os
import sys
import time
from pathlib import Path
from threading import Thread

from snakemake import common
from snakemake.exceptions import WorkflowError
from snakemake.settings.types import DeploymentMethod

from semblance import layout
from semblance.errors import InputError
from semblance.gpus import REMOTE_JOB
from semblance.locks import Busy
from workflow.controller import (
    command,
    failures,
    job_failures,
    lock,
    saved,
    scripts,
    slurm,
    started,
    used_models,
)
from workflow.controller.check import Checked, check, gpus_here
from workflow.documentation.results import write_readme
from workflow.planning.layers import Layer, Layered, laid_over, over_project
from workflow.planning.plan import Plan

BAD_INPUT = 2
STARTED = time.time()
LOOK = 1.0  # seconds between two looks whether the downloads are finished
# Snakemake's default limit of starts in a time, which is never reached: 100 a second.
DEFAULT_LIMIT = (100, 1)
IN_COMMANDS = ("CADENCE", "HUB", "PYTHON", "SHARING", "SOURCE")  # of the rules; a test holds them


def check_start(workflow, config: dict) -> Checked:
    """Return the config, read and checked, and all that can be known of it; say the warnings.

    ``config`` is Snakemake's, which counts only in a module. Ends the process with status 2 and one
    line for each error: an exception would be told with a line of the Snakefile.
    """
    asked = _asked(workflow)
    try:
        checked = check(_layers(workflow, config), asked)
    except InputError as error:
        checked = Checked([error])
    for warning in checked.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    for error in checked.errors:
        print(f"error: {error}", file=sys.stderr)
    if checked.errors:
        sys.exit(BAD_INPUT)
    return checked


def _asked(workflow) -> command.Command:
    """Return what the command line asks for; of a job of a scheduler, that it starts none itself."""
    if not workflow.is_main_process:
        return command.Command(starts_jobs=False)
    with contextlib.chdir(workflow.rundir):  # where the profiles are looked for
        return command.read(sys.argv[1:])


def _layers(workflow, config: dict) -> Layered:
    """Return what lies over the project's config.yaml, each file and flag for itself.

    A module has the config that its ``module`` statement gives it. The files and flags of the
    command line are those of the workflow that uses the module.
    """
    if not workflow.modifier.is_main_snakefile():
        _refuse_prefix(workflow.modifier)
        project = over_project([]).layers
        name = f"config of the module {workflow.modifier.namespace}"
        return Layered([*project, Layer(name, config, is_file=False)])
    settings = workflow.config_settings
    if settings.replace_workflow_config:
        return laid_over(settings.configfiles, settings.config_args or ())
    return over_project(settings.configfiles, settings.config_args or ())


def _refuse_prefix(modifier) -> None:
    """Refuse a ``module`` statement that moves some of the paths: records and logs name the others."""
    if any(modifier.modify_path(path) != path for path in ("results", "resources", "workflow")):
        where = f"module {modifier.namespace}"
        problem = "prefix and replace_prefix would move only a part of the paths"
        raise InputError(where, problem, "set output and downloads in its config")


def share_names(workflow, names: dict) -> None:
    """Let Snakemake print the commands of a module, whose names it seeks in the importing workflow.

    ``names`` are those of the module. Its commands themselves run with its own.
    """
    importer = workflow.modifier_stack[0].globals
    for name in IN_COMMANDS:
        importer.setdefault(name, names[name])


def prepare_start(out: str, downloads: str, asked: command.Command) -> None:
    """Make sure, before the plan is made, that this run may start; clear up after killed ones.

    Where ``asked`` starts no job, as in a dry run, nothing is touched.
    """
    if asked.writes_notes:
        _require_notes()
    if not asked.starts_jobs:
        return
    try:
        _claim(out, downloads)
        if slurm.has_runs(out):
            slurm.settle_earlier(out)
    except slurm.Unanswered as error:
        raise WorkflowError(f"Slurm gives no answer: {error}") from None
    except KeyboardInterrupt:
        raise WorkflowError("interrupted while waiting: this run has started nothing") from None


def _require_notes() -> None:
    """Raise WorkflowError where Snakemake cannot write: it would end with a traceback."""
    folder = Path(".snakemake")
    if not folder.exists():
        folder = Path()
    if not os.access(folder, os.W_OK):
        problem = "cannot be written, and Snakemake keeps its notes there"
        advice = "run in a copy, or name another working folder with --directory"
        raise WorkflowError(f"{folder.absolute()}: {problem}; {advice}")


def _claim(out: str, downloads: str) -> None:
    try:
        lock.claim_output(out)
        lock.claim_downloads(downloads)
    except Busy as busy:
        raise WorkflowError(str(busy)) from None
    except OSError as error:
        raise WorkflowError(f"{error.filename or out}: {error.strerror}") from None


def limit_gpu_jobs(workflow, jobs_per_gpu: int) -> None:
    """Let no more jobs run at a time than this machine's GPUs can take.

    A limit that the user has set stays. On a cluster the scheduler limits the jobs.
    """
    if _is_submitting(workflow) or "gpu" in workflow.resource_settings.resources:
        return
    gpus = _count_gpus()
    if gpus:
        workflow.register_resource("gpu", gpus * jobs_per_gpu)


def _is_submitting(workflow) -> bool:
    """Tell whether jobs run elsewhere, by a scheduler: its number of jobs is None without one."""
    return workflow.resource_settings.nodes is not None


def _count_gpus() -> int:
    try:
        return len(gpus_here())
    except InputError as error:
        raise WorkflowError(str(error)) from None


def mark_remote_job(workflow) -> None:
    """Let the scripts of a job that was given to a scheduler, of any kind, know that it was."""
    if workflow.remote_exec:
        os.environ[REMOTE_JOB] = "1"


def begin(workflow, config: dict, logs: list[str]) -> None:
    """Begin a run whose plan is made, and say in the README.md of its folder what lies where.

    ``logs`` are Snakemake's: they name the jobs of this run.
    """
    out, downloads = config["output"], config["downloads"]
    _claim(out, downloads)  # again: another program than snakemake may have loaded the Snakefile
    Thread(target=_release_downloads, args=(workflow, downloads), daemon=True).start()
    used_models.watch(config)
    slurm.note_run(out, logs)
    with contextlib.suppress(OSError):  # only a help for readers: a full disk is told elsewhere
        write_readme(out)
        started.note_command(workflow, out, downloads)
        started.note_config(out, config)
    _stop_needless_looks(workflow)


def _release_downloads(workflow, downloads: str) -> None:
    """Let other runs download as soon as this one has made all that it downloads."""
    jobs = [job for job in workflow.dag.needrun_jobs() if _makes_file_below(job, downloads)]
    while not all(map(workflow.dag.finished, jobs)):
        time.sleep(LOOK)
    lock.release_downloads()


def _makes_file_below(job, folder: str) -> bool:
    return any(str(file).startswith(f"{folder}/") for file in job.output)


def _stop_needless_looks(workflow) -> None:
    """Switch off Snakemake's default limit of starts in a time; a limit of the user's own stays.

    Under a limit, Snakemake 9.27 orders a new look at the queue after each look. The looks after a
    finished job start one more such chain, which never ends: after 80 jobs they took a quarter of
    a core, and ever more.
    """
    limit = workflow.scheduling_settings.max_jobs_per_timespan
    if limit and (limit.max_jobs, limit.timespan) == DEFAULT_LIMIT:
        workflow.scheduler.job_rate_limiter = None


def end(plan: Plan) -> None:
    """Note that all jobs of this run have ended; remove the incomplete forms of whole tables."""
    slurm.forget_runs(plan.out)
    used_models.remove_copies(plan.config)
    if Path(layout.place(plan.out, layout.INCOMPLETE)).exists():
        _render_incomplete(plan)


def print_end(workflow, plan: Plan) -> None:
    """Print why jobs of this run failed, what there is of the tables, and how to go on."""
    used_models.remove_copies(plan.config)
    on_cluster = failures.report(failures.SLURM_LOGS, STARTED)
    others = job_failures.report_jobs(workflow.scheduler.failed, on_cluster)
    tables = _render_incomplete(plan)
    for text in (on_cluster, others, tables, saved.describe_saved(workflow.dag, plan.out)):
        if text:
            print(text, file=sys.stderr)


def _render_incomplete(plan: Plan) -> str:
    """Render what there is of the incomplete tables; return what is missing, in a few lines."""
    try:
        from workflow.controller import incomplete  # slow to import, and seldom needed

        return incomplete.render(plan)
    except Exception as error:  # a help for readers: the end of the run goes on without it
        return f"the incomplete tables are not written ({error}); `semblance table NAME` shows one"


def inspect_functions_once() -> None:
    """Let Snakemake inspect each function of the rules once, and not anew for each job."""
    common.get_function_params = functools.cache(common.get_function_params)


def command_of_scripts(workflow) -> str:
    """Return the beginning of the shell command that runs a script of workflow/scripts."""
    python = sys.executable
    if uses_conda(workflow):
        python = "python"
    return scripts.shell_command(python)


def uses_conda(workflow) -> bool:
    """Tell whether jobs run in environments that conda makes."""
    return DeploymentMethod.CONDA in workflow.deployment_settings.deployment_method
