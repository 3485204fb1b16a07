"""The configuration: overrides laid over, validated strictly, cross-checked, expanded.

No snakemake here.
"""

import functools
import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from semblance.errors import InputError
from semblance.provenance import read_text
from semblance.settings import parse_json
from semblance.strict_json import UNWRITABLE
from semblance.strict_yaml import read_yaml
from workflow.planning.checks import check
from workflow.planning.expand import expand
from workflow.planning.folders import check_folders
from workflow.planning.labels import check_labels
from workflow.planning.table_checks import check_tables

SCHEMA = Path(__file__).parents[1] / "schemas" / "config.schema.yaml"
MOVED = {  # keys of earlier configs, and where they stand now
    "cluster.max_runtime": "resources.max_runtime",
    "training.gpus": "resources.gpus",
    "training.jobs_per_gpu": "resources.jobs_per_gpu",
    "training.checkpoint_minutes": "resources.checkpoint_minutes",
    "training.checkpoint_steps": "resources.checkpoint_steps",
    "recipes.rcl-faq": "recipes.rcl.on_faq",
}
# JSON Schema takes 64.0 for an integer; YAML and the settings of a training do not.
Validator = jsonschema.validators.extend(
    jsonschema.Draft202012Validator,
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: type(value) is int
    ),
)


def load(config: dict) -> dict:
    """Return the validated config in its full form (``expand``), keys that are null removed.

    Raises InputError naming the key of the first violation, as it stands in the user's file.
    """
    config = _plain(config, "config")
    _check_moved(config)
    errors = sorted(_validator().iter_errors(config), key=lambda e: list(map(str, e.path)))
    if errors:
        raise _format_violation(errors[0])
    check_folders(config)
    check(config)
    check_tables(config)
    full = expand(config)
    check_labels(full)
    return full


def laid_over(paths: Iterable[str | Path]) -> dict:
    """Return config files laid over each other as Snakemake lays them, not yet validated."""
    config: dict = {}
    for path in paths:
        over = read_yaml(path)
        if not isinstance(over, dict):
            raise InputError(path, "no mapping of keys to values", "see config.yaml")
        _lay(config, over)
    return config


def load_files(overlays: Iterable[str], output: str | None = None) -> dict:
    """Return the validated config of files laid over ``config.yaml``.

    ``output`` takes the place of the config's output folder. Raises InputError as ``load`` does.
    """
    config = laid_over(["config.yaml", *overlays])
    if output:
        config["output"] = output
    return load(config)


def _lay(under: dict, over: dict) -> dict:
    for key, value in over.items():
        both = isinstance(value, dict) and isinstance(under.get(key), dict)
        under[key] = _lay(under[key], value) if both else value
    return under


@functools.cache
def _validator() -> jsonschema.protocols.Validator:
    return Validator(yaml.safe_load(SCHEMA.read_text(encoding="utf-8")))


def check_files(paths: Iterable[str | Path]) -> None:
    """Raise InputError, with the line, for a config file that is not strict YAML or JSON.

    Snakemake has read the files before; of a key that stands twice it kept the last value.
    """
    for path in paths:
        if Path(path).suffix == ".json":
            parse_json(read_text(path), str(path))
        else:
            read_yaml(path)


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


def _format_step(step: str | int) -> str:
    """Return one step of a path into the config: ``.key`` or ``[0]``."""
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}"


def _format_violation(error: jsonschema.ValidationError) -> InputError:
    """Return the one line that says what does not fit the schema, and what would."""
    key = "config" + "".join(_format_step(step) for step in error.path)
    known = error.schema.get("properties", {})
    if error.validator == "additionalProperties":
        extra = min(set(error.instance) - set(known))
        return InputError(f"{key}.{extra}", "unknown key", f"known are {', '.join(sorted(known))}")
    if error.validator == "required":
        missing = next(k for k in error.schema["required"] if k not in error.instance)
        advice = known.get(missing, {}).get("description", "")
        return InputError(f"{key}.{missing}", "missing key", advice)
    message = error.message
    if len(message) >= 200:
        message = f"does not fit ({error.validator}: {error.validator_value})"
    return InputError(key, message, error.schema.get("description", ""))
