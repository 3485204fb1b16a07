"""What the one process that plans and starts jobs does beside that; jobs do none of it.

Only in this package are parts of Snakemake's ``Workflow`` object used, and its files in ``.snakemake``.
"""

import contextlib
import os
import shlex
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from threading import Thread
from typing import NoReturn

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger
from snakemake.settings.types import DeploymentMethod

from semblance import layout
from semblance.counts import counted
from semblance.errors import InputError
from semblance.fetch.manifest import load_manifest
from semblance.files import write_text
from semblance.gpus import REMOTE_JOB
from semblance.locks import Busy
from semblance.provenance import ROOT, write_json
from workflow.config.layers import laid_over, over_project, shown
from workflow.config.model import Config
from workflow.planning.outline import outline
from workflow.planning.plan import Plan, collect_rarely, deletes_models
from workflow.planning.stages import STAGES, Job, log, wanted_by
from workflow.run import command, events, fork_server, lock, preview, private, slurm
from workflow.run.check import Checked, check, gpus_here

LOOK = 5.0  # seconds between two looks at downloads and second copies
SCRIPTS = "workflow.scripts"  # the package of the stages' programs
STOP = "not every file can be had (see above); --keep-going runs what does not need the others"
GO_ON = "to go on: the same command again; a saved training goes on from its step"
LAYOUT = ROOT / "workflow/documentation/results.md"  # docs/results.md holds it, too
README = """# What lies where in this folder

Semblance has written everything here. To free the space of one model, delete its whole folder.

"""


def check_start(workflow) -> Checked:
    """Return the config, read and checked, and all that can be known of it; say the warnings.

    Stops the start with one line for each error (``preview.stop``).
    """
    collect_rarely()
    asked = command.Command(starts_jobs=False)
    if workflow.is_main_process:  # a job of a scheduler starts none itself
        with contextlib.chdir(workflow.rundir):  # where the profiles are looked for
            asked = command.of_process()
    settings = workflow.config_settings
    if refused := _refused(workflow):
        preview.stop([refused], asked)
    lay = laid_over if settings.replace_workflow_config else over_project
    try:
        checked = check(lay(settings.configfiles, settings.config_args or ()), asked)
    except InputError as error:
        checked = Checked([error])
    for warning in checked.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    if checked.errors:
        preview.stop(checked.errors, asked)
    for fact in checked.facts[:1]:
        print(f"run: {fact}, into {checked.config.output}", file=sys.stderr)
    return checked


def _refused(workflow) -> str:
    """Return why this workflow cannot run as it is asked to; empty if it can."""
    if not workflow.modifier.is_main_snakefile():
        problem = "Snakemake gives a module neither its config nor its hooks"
        return f"Snakefile: {problem}; start it by itself (semblance run), and read its files"
    if workflow.storage_settings.default_storage_provider:
        problem = "jobs read and write this machine's files, or those of a shared disk"
        return f"--default-storage-provider: {problem}; leave it out"
    if str(workflow.workflow_settings.persistence_backend) != "file":
        problem = "what a killed run has left is told from Snakemake's notes in files"
        return f"--persistence-backend: {problem}; leave it out"
    return ""


def prepare_start(plan: Plan, asked: command.Command) -> None:
    """Make sure, before Snakemake's plan, that this run may start; clear up after killed ones.

    Where ``asked`` starts no job, as in a dry run, nothing is touched.
    """
    if not asked.starts_jobs:
        return
    try:
        _claim(plan.out, plan.downloads)
        # No job of an earlier run on a cluster may be left.
        runs = events.History(plan.out).unsettled
        if runs and slurm.settle([run["cluster"] for run in runs]):
            slurm.forget_orphans(plan.out, runs[-1]["time"])
            events.append(plan.out, "settled")
    except Busy as busy:
        print(f"error: {busy}", file=sys.stderr)
        sys.exit(os.EX_TEMPFAIL)
    except slurm.Unanswered as error:
        print(f"error: Slurm gives no answer: {error}; try again later", file=sys.stderr)
        sys.exit(os.EX_TEMPFAIL)
    except KeyboardInterrupt:
        raise WorkflowError("interrupted while waiting: this run has started nothing") from None


def _claim(out: str, downloads: str) -> None:
    try:
        lock.claim_output(out)
        lock.claim_downloads(downloads)
    except Busy:
        raise
    except OSError as error:
        raise WorkflowError(f"{error.filename or out}: {error.strerror}") from None


def watch_jobs(writer: events.Writer) -> None:
    """Let Snakemake tell what happens to the jobs of this run."""
    private.keep_words_about_groups()
    logger.addHandler(writer)


def asks(checked: Checked, writer: events.Writer, job: Job, attempt: int) -> dict[str, int]:
    """Return what an attempt of a job asks of a scheduler.

    Each end for lack of memory adds as much memory as the first attempt had, up to the largest node of
    its partition. Any other end, such as scancel's, adds none: sbatch would refuse what no node has.
    """
    asked = checked.cost.asks(job, attempt)
    if ends := writer.out_of_memory[log(job)]:
        memory = asked["mem_mb"]
        most = slurm.largest_memory(checked.asked.partitions_of(job.stage))
        asked["mem_mb"] = min(memory * (1 + ends), max(memory, most))
    return asked


def limit_gpu_jobs(workflow, jobs_per_gpu: int) -> None:
    """Let no more jobs run at a time than this machine's GPUs can take.

    A limit that the user has set stays. On a cluster, where Snakemake limits the number of jobs
    (``nodes``), the scheduler knows the GPUs.
    """
    resources = workflow.resource_settings
    if resources.nodes is not None or "gpu" in resources.resources:
        return
    if gpus_here():
        workflow.register_resource("gpu", len(gpus_here()) * jobs_per_gpu)


def mark_remote_job(workflow) -> None:
    """Let the scripts of a job that was given to a scheduler, of any kind, know that it was."""
    if workflow.remote_exec:
        os.environ[REMOTE_JOB] = "1"


def begin(workflow, plan: Plan, writer: events.Writer) -> None:
    """Begin a run whose plan is made, and say in the README.md of its folder what lies where.

    The report is told of the plan by a file, since its job loads no config.
    """
    out, config = plan.out, plan.config
    # Again: another program than snakemake may have loaded the Snakefile.
    _claim(out, plan.downloads)
    Thread(target=_attend, args=(workflow, config), daemon=True).start()
    writer.begin()
    with contextlib.suppress(OSError):  # only a help for readers: a full disk is reported elsewhere
        write_text(Path(out, "README.md"), README + LAYOUT.read_text(encoding="utf-8"))
        _note_start(workflow, out)
        write_json(layout.place(out, layout.CONFIG), config.written())
        write_json(layout.place(out, layout.OUTLINE), asdict(outline(plan)))
    private.mend_scheduler(workflow)


def start_fork_server(workflow, config: Config) -> None:
    """Let the jobs of this machine start as children of one process, if many are to start."""
    names = [job.rule.name for job in workflow.dag.needrun_jobs()]
    as_they_are = workflow.local_exec and not workflow.deployment_settings.deployment_method
    if config.resources.fork and as_they_are and len(names) >= fork_server.FEWEST:
        with contextlib.suppress(OSError):  # such as of a full disk: then each job starts by itself
            fork_server.start(set(names), Path(config.output, "logs/fork_server.log"))


def _attend(workflow, config: Config) -> None:
    """Let other runs download as soon as this one has all that it downloads; remove second copies."""
    needed = workflow.dag.needrun_jobs()
    below = f"{config.downloads}/"
    waiting = [job for job in needed if any(str(file).startswith(below) for file in job.output)]
    while True:
        if all(map(workflow.dag.finished, waiting)):
            lock.release_downloads()
        remove_copies(config)
        time.sleep(LOOK)


def _note_start(workflow, out: str) -> None:
    """Write how the run was started, for later commands.

    ``options`` are those that choose the workflow and its config. ``cores`` are those of this
    machine; ``at_a_time`` is the largest number of jobs that a scheduler has at a time, null where
    the jobs run on this machine.
    """
    options = []
    if Path(workflow.main_snakefile) != Path("Snakefile").absolute():
        options += ["--snakefile", str(workflow.main_snakefile)]
    if files := workflow.config_settings.configfiles:
        options += ["--configfile", *map(shown, files)]
    if workflow.config_settings.config_args:
        options += ["--config", *workflow.config_settings.config_args]
    note = {
        "folder": os.getcwd(),
        "output": out,
        "options": options,
        "command": shlex.join([command.program(), *sys.argv[1:]]),
        "cores": workflow.resource_settings.cores,
        "at_a_time": workflow.resource_settings.nodes,
    }
    write_json(layout.place(out, layout.COMMAND), note)


def remove_copies(config: Config) -> None:
    """Remove the second copies of models whose weights are used and deleted (``keep.models: final``).

    A finished training keeps its outputs a second time, for a controller that dies before it notes
    the job's end (``training.keeping.finished``).
    """
    if not deletes_models(config):
        return
    for record in Path(config.output).glob(f"{layout.pattern(layout.MODEL)}/{layout.RECORD}"):
        copies = record.parent / "checkpoints"
        if copies.is_dir() and not (record.parent / layout.WEIGHTS).exists() and record.exists():
            shutil.rmtree(copies, ignore_errors=True)


def ask_for_sources(workflow, plan: Plan) -> None:
    """Ask for the files that this run downloads; nothing is asked where it downloads none.

    Stops the run if a file is nowhere to be had, unless the user wants it to keep going. No rule
    can do this before all others: Snakemake 9.27 makes every job stale whose input a rule has to
    make, `ancient` or not, and with it all that a finished run has downloaded.
    """
    planned = preview.to_do(workflow.dag, plan)
    needed = [job for job in planned if STAGES[job.stage].work == "download"]
    if not needed:
        return
    from semblance.fetch import sources  # slow to import, and needed by a first run alone

    asked = sources.questions(wanted_by(plan, needed), load_manifest(plan.config.manifest))
    answers = sources.ask_all(asked)
    log = Path(plan.out, "logs/sources.log")
    write_text(log, f"{sources.page(answers)}\n")
    if not sources.missing(answers):
        print(f"sources: every file to download can be had ({log})", file=sys.stderr)
        return
    print(sources.page(answers), file=sys.stderr)
    if not workflow.execution_settings.keep_going:
        raise WorkflowError(STOP)


def end(plan: Plan) -> None:
    """Note that all jobs of this run have ended."""
    with contextlib.suppress(OSError):  # then the next start asks Slurm for them
        events.append(plan.out, "settled")
    _leave_models(plan.config)


def _leave_models(config: Config) -> None:
    """Remove second copies, and write the cards; the end of a run goes on where a file is damaged."""
    from workflow.run.cards import write_cards  # slow to load, and needed at the end alone

    remove_copies(config)
    with contextlib.suppress(InputError, OSError, ValueError, LookupError):
        write_cards(config)


def end_interrupted(workflow, plan: Plan) -> NoReturn:
    """End a run that Ctrl-C has stopped: no job of it failed."""
    remove_copies(plan.config)
    done, jobs = _done(workflow.dag)
    said = f"stopped by you; {done:,} of {counted(jobs, 'job')} done"
    print(said, GO_ON, sep="\n", file=sys.stderr)
    sys.exit(command.INTERRUPTED)


def _done(dag) -> tuple[int, int]:
    """Return how many jobs of a plan are done, by this start or before it, and how many there are."""
    every = set(dag.jobs)
    to_do = {job for job in every if dag.needrun(job)} - set(dag.finished_jobs)
    return len(every - to_do), len(every)


def print_end(workflow, plan: Plan) -> None:
    """Print why jobs of this run failed, which tables are not whole, and how to go on."""
    _leave_models(plan.config)
    history = events.History(plan.out)
    done, jobs = _done(workflow.dag)
    stopped = f"stopped: jobs that are done, and stay done: {done} of {jobs}"
    texts = [*events.failures(history), *_incomplete_tables(plan), stopped, GO_ON]
    print("\n".join(filter(None, [*texts, events.last_line(history)])), file=sys.stderr)


def _incomplete_tables(plan: Plan) -> Iterator[str]:
    """Yield which tables lack runs; a help for readers, without which the end of a run goes on."""
    # It loads scipy, which takes each start a second, and few need it.
    from workflow.report.facts import UNREADABLE
    from workflow.run.current_tables import tables_now

    with contextlib.suppress(*UNREADABLE):
        if lacks := tables_now(plan)[1]:
            of_all = f"{len(lacks)} of {len(plan.config.tables)}"
            yield f"incomplete tables: {of_all}; `semblance table NAME` shows what there is"
        yield from (f"  {name}: {lack}" for name, lack in lacks.items())


def command_of_scripts(workflow) -> str:
    """Return the beginning of the shell command that runs a script, which ends with its name.

    From another folder than the project's, Python learns where the project is, and (-P) to take no
    module of the working folder for one of the project's.
    """
    python = "python" if uses_conda(workflow) else shlex.quote(sys.executable)
    if Path.cwd() == ROOT:
        return f"{python} -m {SCRIPTS}"
    path = shlex.quote(str(ROOT)) + '"${PYTHONPATH:+:$PYTHONPATH}"'
    return f"PYTHONPATH={path} {python} -P -m {SCRIPTS}"


def uses_conda(workflow) -> bool:
    """Tell whether jobs run in environments that conda makes."""
    return DeploymentMethod.CONDA in workflow.deployment_settings.deployment_method
