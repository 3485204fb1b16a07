# Shared by all the other files here: the plan, the folders, the manifest, one way to call a script.
# Needs: hooks, CHECKED and its config. Makes the names in capitals and the functions below.
import os
import re
import shlex

from semblance.provenance import canonical
from semblance.reporting.published import PAPERS
from workflow.run import changes, events, preview, private, slurm
from workflow.planning import figures, modules, reads, stages
from workflow.checks.load import named, with_digest
from workflow.config.layers import shown
from workflow.config.methods import methods_of
from workflow.planning.plan import Plan, deletes_models
from workflow.planning.stand_ins import marked

private.inspect_functions_once()

PLAN = Plan(config)
OUT = PLAN.out
RESOURCES = PLAN.downloads
DATASETS = CHECKED.datasets
OF_PAPERS = [shown(path) for path in PAPERS]
EVENTS = events.Writer(OUT)
PYTHON = hooks.command_of_scripts(workflow)
GPUS = config.resources.gpus
JOBS_PER_GPU = config.resources.jobs_per_gpu
SHARING = f"--jobs-per-gpu {JOBS_PER_GPU}"
CADENCE = " ".join(  # of step checkpoints: it changes no result, so it stays out of `params`
    f"--{key.replace('_', '-')} {getattr(config.resources, key)}"
    for key in ("checkpoint_minutes", "checkpoint_steps")
)
if (_end := slurm.end_of_allocation(os.environ)) is not None:
    CADENCE += f" --stop-at {_end}"


def code(script, *modules):
    """Return the digest of all code that a script runs; an edit there reruns the stage."""
    return changes.digest(f"workflow.scripts.{script}", *modules)


def asks(stage):
    """Return what a stage's jobs ask of a scheduler: by the cost model, and by how their attempts ended."""

    def ask(what):
        return lambda wildcards, attempt: hooks.asks(
            CHECKED, EVENTS, stages.job_of(stage, wildcards), attempt
        )[what]

    return {what: ask(what) for what in ("mem_mb", "runtime", "cpus_per_task")}


def made(stage, role):
    """Return the records of what a stage's jobs read in a role of workflow/planning/reads.py."""
    return lambda wildcards: stages.records_read(PLAN, stages.job_of(stage, wildcards), role)


def weights_of(stage, role):
    """Return the weights of the models that a stage's jobs read in a role, if they go after their use."""
    return lambda wildcards: stages.weights_read(PLAN, stages.job_of(stage, wildcards), role)


def settings_of(stage):
    """Return the settings of a stage's trainings."""
    return lambda wildcards: stages.training_settings(PLAN, stages.job_of(stage, wildcards))


def code_of(stage):
    """Return the digest of the code that a stage's trainings run, modules found by name included."""
    settings = settings_of(stage)
    return lambda w: code(stage, *modules.of_training(config, w.base, settings(w)))


def manifest(wildcards, input):
    """Return the path of the manifest; Snakemake compares no parameter that is made of `input`."""
    return config.manifest


def read_from(*own):
    """Return the name of the manifest, and the path and the digest of each of the user's own files.

    No command reads this parameter. Snakemake compares it, and so notices a file of other content
    whatever its date. Where the project lies, in a checkout or where pip has put it, is none of it.
    """
    return " ".join([named(config.manifest), *map(with_digest, own)])


def compute(stage):
    """Return the flags of what a reading stage computes with, all of it part of its result."""
    part = getattr(config, stage)
    flags = [f"--{key} {getattr(part, key)}" for key in ("threads", "precision", "matmul")]
    return " ".join([*flags, f"--gpus {GPUS}"])


def after_use(weights):
    """Mark the weights of a model for deletion after their use, where the config keeps the final ones."""
    if deletes_models(config):
        return temp(weights)
    return weights


def own_files(stage, wildcards={}):
    """Return the user's own files that a job of a stage reads."""
    return list(reads.own_files(PLAN, stages.job_of(stage, wildcards)).values())


def raw_files(stage):
    """Return the raw files that a stage's jobs read, with their records, and the user's own."""

    def files(wildcards):
        jobs = stages.inputs(PLAN, stages.job_of(stage, wildcards))
        names = [job.name for job in jobs if job.stage == "download"]
        found = [f"{RESOURCES}/data/{path}" for name in names for path in DATASETS[name].paths()]
        found += [f"{RESOURCES}/data/records/{name}.json" for name in names]
        return found + own_files(stage, wildcards)

    return files


def any_of(names):
    """Return the pattern of a wildcard that is one of these names; one that fits nothing for none."""
    return "|".join(map(re.escape, names)) or "(?!)"


def corpora_of(kind):
    """Return the pattern of the corpora of a kind; of none, a pattern that matches nothing."""
    return any_of(name for name, corpus in config.corpora.items() if corpus.kind == kind)
