# What every rule file uses: the plan, the folders, the manifest, one way to call a script.
# Needs: config (validated). Makes: PLAN, OUT, RESOURCES, DATASETS, TABLES, PYTHON, GPUS, CADENCE, code(), dataset_files();
# holds OUT for this controller alone.
import re
import shlex
import sys

from semblance.data.sources import load_manifest
from semblance.provenance import canonical
from workflow import lock
from workflow.plan import Plan

PLAN = Plan(config)
OUT, RESOURCES = PLAN.out, PLAN.resources
try:
    DATASETS = load_manifest(config["manifest"])
except InputError as error:
    raise WorkflowError(str(error))
TABLES = expand(f"{OUT}/tables/{{table}}.{{form}}", table=config["tables"], form=["csv", "md", "tex"])
PYTHON = f"{shlex.quote(sys.executable)} -m workflow.scripts"
GPUS = config["training"].get("gpus", 0)
CADENCE = " ".join(  # of step checkpoints: it changes no result, so it stays out of `params`
    f"--{key.replace('_', '-')} {config['training'][key]}" for key in ("checkpoint_minutes", "checkpoint_steps")
    if key in config["training"])

if workflow.is_main_process:
    lock.take_over(OUT)


onstart:
    try:
        if not lock.hold(OUT, seconds=30):
            raise WorkflowError(f"another snakemake works on {OUT}: wait for it, or give this run another output folder")
    except lock.NoLocks:
        pass


def code(script, *modules):
    """Return the digest of all code that a script runs; an edit there reruns the stage."""
    return code_digest(f"workflow.scripts.{script}", *modules)


def dataset_files(*names):
    """Return the raw files and the records of datasets of the manifest."""
    for name in names:
        if name not in DATASETS:
            raise WorkflowError(f"config: there is no dataset {name!r} in {config['manifest']}")
    files = [f"{RESOURCES}/data/{path}" for name in names for path in raw_paths(DATASETS[name])]
    return files + [f"{RESOURCES}/data/records/{name}.json" for name in names]


def raw_paths(dataset):
    """Return the relative paths of a dataset's files, those inside archives included."""
    inside = [path for archive in dataset.archives for path in archive.members.values()]
    return sorted({*inside, *(f.path for f in dataset.files)})
