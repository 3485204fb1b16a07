"""The STS data of this machine, found without the network: downloads, a mirror, or a run's own."""

import contextlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from semblance import layout
from semblance.data.raw import Raw
from semblance.data.scored_file import OwnPairs, pairs_of
from semblance.download.manifest import Dataset, load_manifest
from semblance.errors import InputError
from semblance.models.saved import SavedModel
from semblance.provenance import ROOT
from workflow.planning.data import ALL_TASKS, of_manifest, sts_tests
from workflow.status.started import read_start

if TYPE_CHECKING:
    from semblance.data.sts import ScoredPair

DOWNLOADS = "resources"
MANIFEST = ROOT / "workflow" / "manifest.yaml"
DATASETS = ("sts12", "sts13", "sts14", "sts15", "sts16", "stsb", "sick")
ADVICE = "name by --data a folder of downloads, a mirror, or the output folder of a run"
TASKS = {"sickr": "sick"}  # tasks that have another name than their data set


@dataclass(frozen=True)
class Place:
    """Where data may lie: a manifest's data sets below a folder, and a user's own files by name."""

    manifest: Mapping[str, Dataset]
    folder: Path
    datasets: tuple[str, ...] = DATASETS
    own: Mapping[str, OwnPairs] = field(default_factory=dict)


@dataclass(frozen=True)
class Found:
    """The data sets and files of pairs that are there, and why each other data set is missing."""

    raw: Raw
    datasets: tuple[str, ...]
    own: dict[str, OwnPairs]
    missing: dict[str, str]

    def pairs(self) -> "dict[str, list[ScoredPair]]":
        """Return the test pairs of each set with the texts as released, counted.

        What is recognised in a user's own file is told.
        """
        from semblance.data.prepare_sts import released_pairs  # slow to import

        found = {name: released_pairs(self.raw, name) for name in self.datasets}
        return found | {name: pairs_of(self.raw, name, own) for name, own in self.own.items()}


def find(named: str) -> Place:
    """Return the data that ``--data`` names; InputError for a folder that is not there."""
    folder = Path(os.path.expanduser(named))
    if (folder / layout.CONFIG).is_file():
        return _of_run(folder)
    if (folder / layout.RAW_DATA).is_dir():
        folder = folder / layout.RAW_DATA
    return Place(load_manifest(MANIFEST), folder)


def _of_run(out: Path) -> Place:
    """Return the raw data that a run has downloaded, by its own manifest."""
    found = read_start(str(out))
    with contextlib.chdir(found.folder):  # from which the paths of its config count
        manifest = load_manifest(found.config["manifest"])
        folder = Path(found.config["downloads"], layout.RAW_DATA).absolute()
        tests = sts_tests(found.config)
        own = {
            name: OwnPairs(**{**pairs, "path": os.path.abspath(pairs["path"])})
            for name, pairs in tests.get("own", {}).items()
        }
    names = of_manifest(found.config, tests["datasets"])
    return Place(manifest, folder, tuple(names), own)


def look(source: Place, wanted: Sequence[str] | None, files: Sequence[str]) -> Found:
    """Tell which of the wanted sets are there, and add files; InputError if none is left.

    Without ``wanted`` all sets of the source are.
    """
    datasets = []
    missing = {}
    own = {}
    for task in wanted or [*source.datasets, *source.own]:
        name = TASKS.get(task, task)
        if name in source.own:
            own[name] = source.own[name]
            continue
        if name not in source.manifest:
            known = ", ".join([*source.datasets, *source.own])
            raise InputError(f"--tasks {task}", "there is no such data set", f"known are {known}")
        paths = source.manifest[name].paths()
        absent = [path for path in paths if not (source.folder / path).is_file()]
        if absent:
            missing[name] = f"{source.folder / absent[0]} is not there"
        else:
            datasets.append(name)
    own |= _named_files(files, [*datasets, *own])
    if not datasets and not own:
        problem = f"none of the tasks is there: {', '.join(missing)}"
        raise InputError(source.folder, problem, ADVICE)
    return Found(Raw(source.manifest, source.folder), tuple(datasets), own, missing)


def _named_files(files: Sequence[str], taken: Sequence[str]) -> dict[str, OwnPairs]:
    """Return the files of pairs by the names of their tasks; InputError for one that is not there."""
    found: dict[str, OwnPairs] = {}
    for path in files:
        name = Path(path.removesuffix(".gz")).stem
        if not os.path.isfile(path):
            raise InputError(f"--pairs {path}", "no such file", "correct the path")
        if name in (*taken, *found, *ALL_TASKS):
            raise InputError(f"--pairs {path}", f"another task is called {name}", "rename the file")
        found[name] = OwnPairs("pairs", path)
    return found


def model_folder(named: str) -> Path:
    """Return the folder of a model: the one named, or of a trained model the one in it, checked."""
    folder = Path(os.path.expanduser(named))
    record = folder / layout.RECORD
    if record.is_file() and (folder / "model").is_dir():
        return SavedModel.read(record).folder
    return folder


def gpus() -> int:
    """Return 1 where there is a GPU, else 0."""
    import torch

    return int(torch.cuda.is_available())
