"""Modules found by name: one file in one of seven folders is a new loss, view, dropout or pooling, a
new format of a FAQ bank or of sentence pairs, or a new kind of figure.

A module is known by the name of its file. Standard library only, so that the workflow's
controller can ask for names and paths without importing torch.
"""

import importlib
from pathlib import Path
from types import ModuleType

from semblance.errors import InputError

ROOT = Path(__file__).resolve().parent.parent

LOSSES = "semblance.training.losses"  # loss(...): embeddings of a batch to a number
OWN_LOSS = "own"  # the one among them that reads a user's own file
VIEWS = "semblance.training.views"  # view(...): the rows of batches; change(...): their texts
DROPOUTS = "semblance.models.dropouts"  # rate(...) or head_scale(...): what is dropped in training
POOLINGS = "semblance.models.poolings"  # pool(...): token vectors to sentence vectors
BANKS = "semblance.data.banks"  # read(...): raw files to the pairs and queries of a FAQ bank
PAIRS = "semblance.data.pairs"  # read(...): a raw file to labelled pairs of sentences
# Modules imported by name too: the code counts for those trainings alone that mask words.
MASKED_WORDS = "semblance.training.masked_words"
# The reader of a user's own FAQ, a part of the application: it counts for such banks alone.
OWN_FAQ = "semblance_faq.read.faq"
OWN_PAIRS = "semblance_faq.read.pairs"  # the reader of a user's own scored pairs
WORDS = "semblance.ranking.words"  # imported by name where words rank
FIGURES = "semblance.figures"  # rows(...): the data of a figure; draw(...): its picture


def module_names(package: str) -> list[str]:
    """Return the names of a package's modules, sorted."""
    stems = [path.stem for path in folder_of(package).glob("*.py")]
    return sorted(stem for stem in stems if stem != "__init__")


def module_path(package: str, name: str, where: str) -> str:
    """Return the dotted path of a named module.

    Raises InputError at ``where`` for a name without a module; the error lists the known names.
    """
    known = module_names(package)
    if name not in known:
        folder = package.replace(".", "/")
        raise InputError(where, f"there is no {folder}/{name}.py", f"known are {', '.join(known)}")
    return f"{package}.{name}"


def module_file(package: str, name: str, where: str) -> Path:
    """Return the file of a named module; InputError as ``module_path``."""
    module_path(package, name, where)
    return folder_of(package) / f"{name}.py"


def load_module(package: str, name: str, where: str) -> ModuleType:
    """Import a named module; InputError as ``module_path``."""
    return importlib.import_module(module_path(package, name, where))


def folder_of(package: str) -> Path:
    """Return the folder of such modules."""
    return ROOT.joinpath(*package.split("."))
