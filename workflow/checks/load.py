"""The configuration: overrides laid over, read as its type, cross-checked.

Its paths: ``~`` is the home folder, and a relative path counts from the working folder. An input that
is not there is looked for in the project's own folder, where the shipped configs have theirs. A run
writes into folders of its own alone. No snakemake here.
"""

import contextlib
import functools
import json
import math
import os
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from semblance.errors import InputError, misfits
from semblance.fetch.manifest import is_url
from semblance.provenance import ROOT, file_digest
from semblance.strict_json import UNWRITABLE
from workflow.checks.options import Check, check_known, checks, name_checks
from workflow.checks.tables import table_checks
from workflow.config.inputs import OF_OWN_BANK
from workflow.config.layers import Layered, found, over_project
from workflow.config.model import Config
from workflow.config.trainings import Entropies, Entropy
from workflow.extensions import extensions
from workflow.planning.tables import check_equal_rows, check_labels

WRITTEN = ("output", "downloads")  # keys of the folders that a run writes
READ = ("path", "queries_path", "folder")  # keys of a user's own files and folders
# Folders of the project that hold no results; so do those whose names begin with a dot.
OWN = "benchmarks config configs demo/data docs envs findings papers profiles slurm tests".split()
OWN += "faq semblance workflow".split()


def load(config: dict) -> Config:
    """Return the config as its type, checked; keys that are null are not there.

    Raises InputError for the first problem, at the user's file and line if ``config`` knows its
    layers, else at the key.
    """
    found, errors = examine(config)
    if found is None:
        raise errors[0]
    return found


def load_files(overlays: Iterable[str], output: str | None = None) -> Config:
    """Return the config of files laid over the project's ``config.yaml``.

    ``output`` takes the place of the config's output folder. Raises InputError as ``load`` does.
    """
    arguments = [f"output={output}"] if output else []
    return load(over_project(overlays, arguments))


def examine(layers: dict) -> tuple[Config | None, list[InputError]]:
    """Return the config as ``load`` does and no errors, or None and all errors.

    Those of the types come first, then names without an entry, then what does not go together.
    """
    config = None
    try:
        plain = _plain(layers, "config")
        Config.model_validate(plain)
        layered = layers.values_of_all() if isinstance(layers, Layered) else [plain]
        full = _with_entropy_models(_with_paths(_with_instead(plain)), layered)
        config = Config.model_validate(full)
        errors = errors_of(name_checks(config))
        more = (each.checks(config) for each in extensions("checks"))
        folders = (partial(check_folder, config, key) for key in WRITTEN)
        errors = errors or errors_of(chain(folders, checks(config), table_checks(config), *more))
        errors = errors or errors_of(partial(c, config) for c in (check_labels, check_equal_rows))
    except ValidationError as error:
        errors = sorted(misfits(error, Config, "config"), key=lambda each: each.where)
    except InputError as error:
        errors = [error]
    of_each_key: dict[str, InputError] = {}
    for error in errors:
        of_each_key.setdefault(error.where, error)
    errors = list(of_each_key.values())
    if isinstance(layers, Layered):
        errors = [layers.located(error) for error in errors]
    return (None, errors) if errors else (config, [])


def errors_of(some: Iterable[Check]) -> list[InputError]:
    """Return the InputError of each check that raises one."""
    errors = []
    for check in some:
        try:
            check()
        except InputError as error:
            errors.append(error)
    return errors


def _plain(value: Any, where: str) -> Any:
    """Return the value without the nulls of its mappings.

    Raises InputError, with the key, for what JSON or a command line cannot carry.
    """
    if isinstance(value, dict):
        plain = {}
        for key, inner in value.items():
            text = _plain(key, where)
            if not isinstance(text, str):
                text = json.dumps(text)  # as JSON would write it
            if inner is not None:
                plain[text] = _plain(inner, f"{where}.{text}")
        return plain
    if isinstance(value, list):
        return [_plain(inner, f"{where}[{i}]") for i, inner in enumerate(value)]
    if isinstance(value, str) and UNWRITABLE.search(value):
        problem = f"{value!r:.80} holds a NUL or half a surrogate pair"
        raise InputError(where, problem, "write plain text")
    too_large = isinstance(value, int) and abs(value) >= 2**63
    if too_large or isinstance(value, float) and not math.isfinite(value):
        problem = f"{value!r:.40} is not a number that can be used"
        raise InputError(where, problem, "write a finite one of 64 bits")
    if not isinstance(value, (str, int, float, type(None))):
        problem = f"a {type(value).__name__}, not plain text or a number"
        raise InputError(where, problem, "put it in quotes")
    return value


# --- entropy models ----------------------------------------------------------------------------


def entropy_models(value: Any) -> Iterator[tuple[str, Entropy]]:
    """Yield the entropy models, with their names, that stand anywhere in a config as it is written."""
    if isinstance(value, dict) and value.keys() == {"kind", "phis"}:
        with contextlib.suppress(ValidationError):  # of a layer that another one hides
            yield from Entropies.model_validate(value).models.items()
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from entropy_models(inner)


def _with_entropy_models(config: dict, layers: list[dict]) -> dict:
    """Return a config with a method for each entropy model that it, or a layer of it, names by its φ.

    Those of a hidden layer have names that its tables still call rows by.
    """
    kinds = config["train_entropy"]["kinds"]
    models = {name: m.written() for name, m in entropy_models(layers) if m.kind in kinds}
    return {**config, "methods": models | config["methods"]}


# --- ours in place of theirs -------------------------------------------------------------------


def _with_instead(config: dict) -> dict:
    """Return a config that fits its type with ours in place of theirs in all rows (``instead``)."""
    instead = config.get("instead", {})
    corpora = {**config["corpora"], **config["faq"]["banks"]}
    kinds = {"base": config["bases"], "corpus or bank": corpora}
    every = "base, corpus or bank", {**config["bases"], **corpora}
    for theirs, ours in instead.items():
        kind, names = next((each for each in kinds.items() if theirs in each[1]), every)
        check_known(f"config.instead.{theirs}", theirs, names, kind)
        check_known(f"config.instead.{theirs}", ours, names, kind)
    naming = chain.from_iterable(each.NAMING for each in extensions("settings"))
    sections = {
        section: {name: _replaced(entry, instead) for name, entry in config[section].items()}
        for section in ("tables", "figures", *naming)
        if section in config
    }
    return {**config, **sections}


def _replaced(entry: dict, instead: dict[str, str]) -> dict:
    """Return a table, a figure or the like with ours in place of theirs.

    A printed row beside BASE/METHOD or CORPUS/METHOD of theirs stands beside ours, if none does yet.
    """

    def put(value: str | list[str]) -> str | list[str]:
        return list(map(put, value)) if isinstance(value, list) else instead.get(value, value)

    entry = {**entry}
    for key in {"base", "bank", "collection"} & entry.keys():
        entry[key] = put(entry[key])
    if "rows" in entry:
        entry["rows"] = [
            {**row, "corpora": put(row["corpora"]), "bases": put(row["bases"])}
            for row in entry["rows"]
        ]
    if "published" in entry:
        beside = {**entry["published"]}
        for name, printed in entry["published"].items():
            theirs, slash, method = name.rpartition("/")
            beside.setdefault(f"{put(theirs)}{slash}{method}", printed)
        entry["published"] = beside
    return entry


# --- paths and folders -------------------------------------------------------------------------


def _with_paths(config: dict) -> dict:
    """Return a config that fits its type with its paths as the rules use them.

    A user's own FAQ has the settings, too, that it leaves out.
    """
    config = {**config, "manifest": found(config["manifest"])}
    for key in WRITTEN:
        # without ``~``, doubled slashes and a slash at its end, and whole where it leads outwards
        place = os.path.normpath(os.path.expanduser(config[key]))
        config[key] = os.path.abspath(place) if place.startswith("..") else place
        if {"{", "}"} & set(config[key]):
            problem = f"{config[key]} holds a brace, which rules cannot name"
            raise InputError(f"config.{key}", problem, "choose another")
    if "mirror" in config and not is_url(config["mirror"]):
        config["mirror"] = found(config["mirror"])
    for key in ("corpora", "bases"):
        config[key] = _with_found(config[key])
    banks = _with_found(config["faq"]["banks"]).items()
    full = {name: OF_OWN_BANK | bank if bank["kind"] == "own" else bank for name, bank in banks}
    config["faq"] = {**config["faq"], "banks": full}
    return config


def _with_found(section: dict[str, dict]) -> dict[str, dict]:
    return {
        name: {key: found(value) if key in READ else value for key, value in entry.items()}
        for name, entry in section.items()
    }


def named(path: str) -> str:
    """Return a path as the shipped configs name it, if it lies in the project's folder."""
    if Path(path).is_relative_to(ROOT):
        return Path(path).relative_to(ROOT).as_posix()
    return path


@functools.cache
def with_digest(path: str) -> str:
    """Return the path of a file of the user's own, with the digest of what is in it now.

    The job reads it later; a change until then is noticed at the next start.
    """
    if not os.path.isfile(path):
        return path  # the start refuses it where a job reads it
    return f"{path}:{file_digest(path)}"


def check_folder(config: Config, key: str) -> None:
    """Raise InputError for a folder to be written that is, holds or lies in one that is taken.

    Taken are the project's own folders and, for the output, a mirror on this machine.
    """
    written = getattr(config, key)
    asked = Path(written).resolve()
    of_project = [*map(ROOT.joinpath, OWN), *ROOT.glob(".*")]
    taken = {path.resolve(): "a folder of the project itself" for path in of_project}
    mirror = config.mirror
    if key == "output" and mirror and not is_url(mirror):
        taken[Path(mirror).resolve()] = "the mirror of the raw data"
    for folder, what in taken.items():
        if asked == folder or asked in folder.parents or folder in asked.parents:
            problem = f"{written} is, holds or lies in {folder}, {what}"
            raise InputError(f"config.{key}", problem, "name a folder for this alone")
