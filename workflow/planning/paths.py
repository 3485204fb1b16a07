"""The paths of a config: ``~`` is the home folder, and shipped inputs are found from any folder.

A relative path counts from the working folder, which --directory of snakemake changes. An input that
is not there is looked for in the project's own folder, where the shipped configs have theirs.
"""

import functools
import os
from pathlib import Path

from semblance.errors import InputError
from semblance.fetch.manifest import is_url
from semblance.provenance import ROOT, file_digest
from workflow.planning.folders import WRITTEN


def complete(config: dict) -> dict:
    """Return a config that fits the schema with its paths as the rules use them."""
    written = {key: _to_write(f"config.{key}", config[key]) for key in WRITTEN}
    config = {**config, **written, "manifest": found(config["manifest"])}
    if "mirror" in config and not is_url(config["mirror"]):
        config["mirror"] = found(config["mirror"])
    banks = {
        name: _with_found(_with_found(bank, "path"), "queries_path")
        for name, bank in config["faq"]["banks"].items()
    }
    corpora = {name: _with_found(corpus, "path") for name, corpus in config["corpora"].items()}
    bases = {
        name: _with_found(_with_found(base, "folder"), "word_vectors")
        for name, base in config["bases"].items()
    }
    faq = {**config["faq"], "banks": banks}
    sts = config["sts"]
    if "own" in sts:
        own_pairs = {name: _with_found(pairs, "path") for name, pairs in sts["own"].items()}
        sts = {**sts, "own": own_pairs}
    return {**config, "faq": faq, "sts": sts, "bases": bases, "corpora": corpora}


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


def own(path: str) -> str:
    """Return a path of the project as seen from the working folder, if that is the project's."""
    if Path.cwd() == ROOT:
        return path
    return str(ROOT / path)


def _to_write(where: str, path: str) -> str:
    """Return a folder that a run writes: without ``~``, doubled slashes and a slash at its end."""
    path = os.path.normpath(os.path.expanduser(path))
    if {"{", "}"} & set(path):
        raise InputError(where, f"{path} holds a brace, which rules cannot name", "choose another")
    return path


def _with_found(entry: dict, key: str) -> dict:
    if key not in entry:
        return entry
    return {**entry, key: found(entry[key])}


def found(path: str) -> str:
    """Return a path with ``~`` resolved; one that is not there, in the project's folder if it is there."""
    path = os.path.expanduser(path)
    if not os.path.exists(path) and os.path.exists(ROOT / path):  # False of too long a path
        return str(ROOT / path)
    return path
