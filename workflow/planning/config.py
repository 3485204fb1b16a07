"""The configuration: overrides laid over, validated strictly, cross-checked, expanded.

No snakemake here.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from semblance.config.misfits import misfits
from semblance.errors import InputError
from semblance.strict_json import UNWRITABLE
from workflow.planning.answerers import answerer_checks
from workflow.planning.checks import checks
from workflow.planning.collecting import errors_of
from workflow.planning.equal_rows import check_equal_rows
from workflow.planning.expand import expand
from workflow.planning.figure_checks import figure_checks
from workflow.planning.folders import WRITTEN, check_folder
from workflow.planning.labels import check_labels
from workflow.planning.layers import Layered, laid_over, over_project, read_layer
from workflow.planning.paths import complete
from workflow.planning.table_checks import table_checks

__all__ = ["check_files", "examine", "laid_over", "load", "load_files"]

MOVED = {  # keys of earlier configs, and where they stand now
    "cluster.max_runtime": "resources.max_runtime",
    "training.gpus": "resources.gpus",
    "training.jobs_per_gpu": "resources.jobs_per_gpu",
    "training.checkpoint_minutes": "resources.checkpoint_minutes",
    "training.checkpoint_steps": "resources.checkpoint_steps",
    "recipes.rcl-faq": "recipes.rcl.on_faq",
}


def load(config: dict) -> dict:
    """Return the validated config in its full form (``expand``), keys that are null removed.

    Its paths are as ``paths.complete`` gives them. Raises InputError for the first problem, at the
    user's file and line if ``config`` knows its layers, else at the key.
    """
    full, errors = examine(config)
    if full is None:
        raise errors[0]
    return full


def load_files(overlays: Iterable[str], output: str | None = None) -> dict:
    """Return the validated config of files laid over the project's ``config.yaml``.

    ``output`` takes the place of the config's output folder. Raises InputError as ``load`` does.
    """
    arguments = []
    if output:
        arguments.append(f"output={output}")
    return load(over_project(overlays, arguments))


def examine(config: dict) -> tuple[dict | None, list[InputError]]:
    """Return the config as ``load`` does and no errors, or None and all errors that can be told."""
    try:
        full, errors = _examine(config)
    except InputError as error:
        full, errors = None, [error]
    if isinstance(config, Layered):
        errors = [config.located(error) for error in errors]
    return full, errors


def _examine(config: dict) -> tuple[dict | None, list[InputError]]:
    config = _plain(config, "config")
    _check_moved(config)
    errors = misfits(config)
    some_misfit = bool(errors)
    if not some_misfit:
        config = complete(config)
    errors += errors_of(_checks(config), some_misfit)
    if errors:
        return None, _first_of_each_key(errors)
    full = expand(config)
    errors = errors_of([partial(check_labels, full), partial(check_equal_rows, full)])
    if errors:
        return None, errors
    return full, []


def _first_of_each_key(errors: Iterable[InputError]) -> list[InputError]:
    found: dict[str, InputError] = {}
    for error in errors:
        found.setdefault(error.where, error)
    return list(found.values())


def _checks(config: dict) -> Iterator[Callable[[], None]]:
    yield from (partial(check_folder, config, key) for key in WRITTEN)
    yield from checks(config)
    yield from table_checks(config)
    yield from figure_checks(config)
    yield from answerer_checks(config)


def check_files(paths: Iterable[str | Path]) -> None:
    """Raise InputError, with the line, for a config file that is not strict YAML or JSON."""
    for path in paths:
        read_layer(path)


def _check_moved(config: dict) -> None:
    """Refuse the keys of earlier configs, and name their new places."""
    for old, new in MOVED.items():
        node: Any = config
        for key in old.split("."):
            node = node.get(key) if isinstance(node, dict) else None
        if node is not None:
            raise InputError(f"config.{old}", f"moved to {new}", "write it there")
    if isinstance(config.get("resources"), str):
        raise InputError(
            "config.resources",
            "the folder of downloads moved to downloads",
            "write it there; the section resources says how jobs run",
        )


def _plain(value: Any, where: str) -> Any:
    """Return the value without the nulls of its mappings.

    Raises InputError, with the key, for what JSON or a command line cannot carry.
    """
    if isinstance(value, dict):
        entries = {_key(key, where): inner for key, inner in value.items() if inner is not None}
        return {key: _plain(inner, f"{where}.{key}") for key, inner in entries.items()}
    if isinstance(value, list):
        return [_plain(inner, f"{where}[{i}]") for i, inner in enumerate(value)]
    if isinstance(value, str) and UNWRITABLE.search(value):
        problem = f"{value!r:.80} holds a NUL or half a surrogate pair"
        raise InputError(where, problem, "write plain text")
    if not _fits_64_bits(value):
        problem = f"{value!r:.40} is not a number that can be used"
        raise InputError(where, problem, "write a finite one of 64 bits")
    if not isinstance(value, (str, int, float, type(None))):
        problem = f"a {type(value).__name__}, not plain text or a number"
        raise InputError(where, problem, "put it in quotes")
    return value


def _fits_64_bits(value: Any) -> bool:
    """Tell whether a value, if it is a number, is finite and, if it is whole, below 2^63."""
    if isinstance(value, int):
        return abs(value) < 2**63
    return not isinstance(value, float) or math.isfinite(value)


def _key(key: Any, where: str) -> str:
    """Return a key of a mapping as text, as JSON would write it."""
    plain = _plain(key, where)
    if isinstance(plain, str):
        return plain
    return json.dumps(plain)
