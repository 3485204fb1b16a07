"""Checks of the folders that a config names: a run writes into folders of its own alone."""

from collections.abc import Iterator
from pathlib import Path

from semblance.errors import InputError
from semblance.fetch.manifest import is_url
from semblance.provenance import ROOT
from semblance.version import BUILT

WRITTEN = ("output", "downloads")  # keys of the folders that a run writes
OWN = (  # folders of the project that hold no results; so do those whose names begin with a dot
    "benchmarks",
    "configs",
    "demo/data",
    "docs",
    "envs",
    "papers",
    "profiles",
    "semblance",
    "slurm",
    "tests",
    "workflow",
)


def check_folders(config: dict) -> None:
    """Raise InputError for a folder to be written that is, holds or lies in one that is taken.

    Taken are the project's own folders and, for the output, a mirror on this machine.
    """
    for key in WRITTEN:
        check_folder(config, key)


def check_folder(config: dict, key: str) -> None:
    """Raise InputError for one of the folders that are written, as ``check_folders`` does."""
    asked = Path(config[key]).resolve()
    for folder, what in _taken(config, key):
        if asked == folder or asked in folder.parents or folder in asked.parents:
            problem = f"{config[key]} is, holds or lies in {folder}, {what}"
            raise InputError(f"config.{key}", problem, "name a folder for this alone")


def _taken(config: dict, key: str) -> Iterator[tuple[Path, str]]:
    if BUILT.exists():
        yield ROOT, "the folder that the project is installed in"
    for folder in (*map(ROOT.joinpath, OWN), *ROOT.glob(".*")):
        yield folder.resolve(), "a folder of the project itself"
    mirror = config.get("mirror")
    if key == "output" and mirror and not is_url(mirror):
        yield Path(mirror).resolve(), "the mirror of the raw data"
