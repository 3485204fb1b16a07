"""Modules found by name: one file in one of seven folders is a new loss, view, dropout or pooling, a
new format of a FAQ bank or of sentence pairs, or a new kind of figure.

A module is known by the name of its file. A distribution beside the project adds to one of the folders
by a folder of the same name in its package ``extends``. Standard library only, so that the workflow's
controller can ask for names and paths without importing torch.
"""

import importlib
from pathlib import Path
from types import ModuleType

from semblance.errors import InputError
from semblance.provenance import DISTRIBUTIONS

ROOT = Path(__file__).resolve().parent.parent
# Where distributions beside the project add modules: PACKAGE.extends, and its folder.
EXTENDS = {
    f"{folder.parent.name}.extends": folder
    for distribution in DISTRIBUTIONS[1:]
    for folder in distribution.glob("*/extends")
}

LOSSES = "semblance.training.losses"  # loss(...): embeddings of a batch to a number
OWN_LOSS = "own"  # the one among them that reads a user's own file
VIEWS = "semblance.training.views"  # view(...): the rows of batches; change(...): their texts
DROPOUTS = "semblance.models.dropouts"  # rate(...) or head_scale(...): what is dropped in training
POOLINGS = "semblance.models.poolings"  # pool(...): token vectors to sentence vectors
BANKS = "semblance.data.banks"  # read(...): raw files to the pairs and queries of a FAQ bank
PAIRS = "semblance.data.pairs"  # read(...): a raw file to labelled pairs of sentences
# Modules imported by name too: the code counts for those trainings alone that mask words.
MASKED_WORDS = "semblance.training.masked_words"
OWN_PAIRS = "semblance_faq.read.pairs"  # the reader of a user's own scored pairs
WORDS = "semblance.ranking.words"  # imported by name where words rank
FIGURES = "semblance.figures"  # rows(...): the data of a figure; draw(...): its picture


def module_names(package: str) -> list[str]:
    """Return the names of a package's modules, sorted."""
    return sorted(_modules(package))


def module_path(package: str, name: str, where: str) -> str:
    """Return the dotted path of a named module.

    Raises InputError at ``where`` for a name without a module; the error lists the known names.
    """
    known = _modules(package)
    if name not in known:
        folder = package.replace(".", "/")
        raise InputError(
            where, f"there is no {folder}/{name}.py", f"known are {', '.join(sorted(known))}"
        )
    return known[name][0]


def module_file(package: str, name: str, where: str) -> Path:
    """Return the file of a named module; InputError as ``module_path``."""
    module_path(package, name, where)
    return _modules(package)[name][1]


def load_module(package: str, name: str, where: str) -> ModuleType:
    """Import a named module; InputError as ``module_path``."""
    return importlib.import_module(module_path(package, name, where))


def folder_of(package: str) -> Path:
    """Return the project's folder of such modules."""
    return ROOT.joinpath(*package.split("."))


def _modules(package: str) -> dict[str, tuple[str, Path]]:
    """Return the dotted path and the file of each module of a package by its name."""
    last = package.rpartition(".")[2]
    folders = {f"{name}.{last}": folder / last for name, folder in EXTENDS.items()}
    folders[package] = folder_of(package)  # the last, so that none takes the place of the project's
    files = [(name, file) for name, folder in folders.items() for file in folder.glob("*.py")]
    found = {file.stem: (f"{name}.{file.stem}", file) for name, file in files}
    return {stem: module for stem, module in found.items() if stem != "__init__"}
