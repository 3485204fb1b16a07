"""The configuration: overrides laid over, validated strictly, cross-checked; no snakemake here."""

import functools
import json
import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from semblance.data.text import UNWRITABLE
from semblance.errors import InputError
from semblance.provenance import read_text
from semblance.settings import parse_json
from semblance.strict_yaml import read_yaml

LOSSES = Path(__file__).parents[2] / "semblance" / "training" / "losses"
SCHEMA = Path(__file__).parents[1] / "schemas" / "config.schema.yaml"
TRAINED_BY_KIND = ("initial", "start")  # method names with rules of their own
NEEDED = (
    "batch_size",
    "epochs",
    "learning_rate",
    "max_length",
)  # of a recipe, or of the defaults of all
OTHER_TABLES = ("scores", "published")  # files that lie beside the tables
PHI = re.compile(r"-?[0-9]{1,9}(\.[0-9]{1,18})?(e-?[0-9]{1,2})?")
# To JSON Schema 64.0 is an integer; to a training's settings, as to YAML, it is none.
Validator = jsonschema.validators.extend(
    jsonschema.Draft202012Validator,
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: type(value) is int
    ),
)


def load(config: dict) -> dict:
    """Return the validated config, keys that are null removed.

    Raises InputError naming the key of the first violation.
    """
    config = _plain(config, "config")
    errors = sorted(_validator().iter_errors(config), key=lambda e: list(map(str, e.path)))
    if errors:
        raise _told(errors[0])
    _cross_check(config)
    return config


def laid_over(paths: Iterable[str | Path]) -> dict:
    """Return config files laid over each other as Snakemake lays them, not yet validated."""
    config: dict = {}
    for path in paths:
        over = read_yaml(path)
        if not isinstance(over, dict):
            raise InputError(path, "no mapping of keys to values", "see config.yaml")
        _lay(config, over)
    return config


def _lay(under: dict, over: dict) -> dict:
    for key, value in over.items():
        both = isinstance(value, dict) and isinstance(under.get(key), dict)
        under[key] = _lay(under[key], value) if both else value
    return under


@functools.cache
def _validator() -> jsonschema.protocols.Validator:
    return Validator(yaml.safe_load(SCHEMA.read_text(encoding="utf-8")))


def check_files(paths: Iterable[str | Path]) -> None:
    """Raise InputError with the line of a key that a config file holds twice, and of a memory bomb.

    Snakemake has read the files before, and kept the last of the two.
    """
    for path in paths:
        if Path(path).suffix == ".json":
            parse_json(read_text(path), str(path))
        else:
            read_yaml(path)


def _plain(value: Any, where: str) -> Any:
    """Return the value, nulls removed from its mappings, if JSON and a command line can carry it."""
    if isinstance(value, dict):
        pairs = [
            (k if isinstance(k, str) else json.dumps(_plain(k, where)), v) for k, v in value.items()
        ]
        return {_plain(k, where): _plain(v, f"{where}.{k}") for k, v in pairs if v is not None}
    if isinstance(value, list):
        return [_plain(v, f"{where}[{i}]") for i, v in enumerate(value)]
    if isinstance(value, str) and UNWRITABLE.search(value):
        raise InputError(
            where, f"{value!r:.80} holds a NUL or half a surrogate pair", "write plain text"
        )
    if (
        isinstance(value, float)
        and not math.isfinite(value)
        or isinstance(value, int)
        and abs(value) >= 2**63
    ):
        raise InputError(
            where, f"{value!r:.40} is no number that can be used", "write a finite one of 64 bits"
        )
    if not isinstance(value, (str, int, float, type(None))):
        raise InputError(
            where, f"a {type(value).__name__}, not plain text or a number", "put it in quotes"
        )
    return value


def _told(error: jsonschema.ValidationError) -> InputError:
    key = ".".join(["config", *map(str, error.path)])
    if error.validator == "additionalProperties":
        extra = sorted(set(error.instance) - set(error.schema.get("properties", {})))
        return InputError(
            f"{key}.{extra[0]}",
            "unknown key",
            f"known are {', '.join(sorted(error.schema.get('properties', {})))}",
        )
    if error.validator == "required":
        missing = next(k for k in error.schema["required"] if k not in error.instance)
        return InputError(
            f"{key}.{missing}",
            "missing key",
            error.schema.get("properties", {}).get(missing, {}).get("description", ""),
        )
    message = (
        error.message
        if len(error.message) < 200
        else f"does not fit ({error.validator}: {error.validator_value})"
    )
    return InputError(key, message, error.schema.get("description", ""))


def _known(where: str, name: str, table: dict, kind: str) -> None:
    if name not in table:
        raise InputError(
            f"config.{where}",
            f"there is no {kind} {name!r}",
            f"known are {', '.join(sorted(table))}",
        )


def _cross_check(config: dict) -> None:
    for name, base in config["bases"].items():
        _known(f"bases.{name}.tokenizer", base["tokenizer"], config["bases"], "base")
        if sum(k in base for k in ("hub", "package", "folder")) != 1:
            raise InputError(f"config.bases.{name}", "needs exactly one of hub, package, folder")
        if "hub" in base and "revision" not in base:
            raise InputError(
                f"config.bases.{name}.revision", "missing key", "pin a commit of the repository"
            )
    for name, recipe in config["recipes"].items():
        for key in NEEDED:
            if key not in recipe and key not in config["training"]:
                raise InputError(
                    f"config.recipes.{name}.{key}", "missing key", "a training cannot do without it"
                )
    if "none" in config["corpora"]:
        raise InputError("config.corpora.none", "this name stands for no corpus", "choose another")
    for name, bank in config["faq"]["banks"].items():
        if ("path" if bank["kind"] == "own" else "dataset") not in bank:
            raise InputError(
                f"config.faq.banks.{name}", "needs path (kind: own) or dataset (every other kind)"
            )
        taken = {name, *(f"{name}-{fold}" for fold in range(config["faq"]["folds"]))} & set(
            config["corpora"]
        )
        if taken:
            raise InputError(
                f"config.faq.banks.{name}", f"a corpus has the name {min(taken)} already"
            )
    for name, method in config["methods"].items():
        _check_training(config, f"methods.{name}", method)
    for name, kind in config["train_entropy"]["kinds"].items():
        _check_training(config, f"train_entropy.kinds.{name}", {"loss": "entropy", **kind})
    _check_training(config, "train_initial", config["train_initial"])
    for name, method in config["methods"].items():
        if name in TRAINED_BY_KIND or entropy_parts(config, name):
            raise InputError(f"config.methods.{name}", "this name is taken by a stage of its own")
        for regulator in method.get("regulators", []):
            if not entropy_parts(config, regulator):
                raise InputError(
                    f"config.methods.{name}.regulators",
                    f"{regulator!r} is not KIND-PHI",
                    f"kinds are {', '.join(config['train_entropy']['kinds'])}",
                )
    for recipe, values in config["recipes"].items():
        for base in values.get("by_base", {}):
            _known(f"recipes.{recipe}.by_base.{base}", base, config["bases"], "base")
    for name, table in config["tables"].items():
        if name in OTHER_TABLES:
            raise InputError(
                f"config.tables.{name}",
                "another file beside the tables has this name",
                "choose another",
            )
        _check_table(config, name, table)


def _check_training(config: dict, where: str, entry: dict) -> None:
    """Check what a method, a kind of entropy model or the initial model must name."""
    for key in ("recipe", "loss"):
        if key not in entry:
            raise InputError(f"config.{where}.{key}", "missing key")
    for key in ("by_base", "gpus", "jobs_per_gpu", "checkpoint_minutes", "checkpoint_steps"):
        if key in entry:
            raise InputError(
                f"config.{where}.{key}", "has no effect here", "it belongs to recipes or training"
            )
    _known(f"{where}.recipe", entry["recipe"], config["recipes"], "recipe")
    if not (LOSSES / f"{entry['loss']}.py").is_file() or entry["loss"] in ("views", "__init__"):
        raise InputError(
            f"config.{where}.loss", f"there is no semblance/training/losses/{entry['loss']}.py"
        )
    sampled = entry.get("dropout", {}).get("sampled", {})
    if sampled.get("low", 0.0) > sampled.get("high", 0.9):
        raise InputError(f"config.{where}.dropout.sampled", "low is above high")


def _check_table(config: dict, name: str, table: dict) -> None:
    _known(f"tables.{name}.seeds", table["seeds"], config["seeds"], "list of seeds")
    places = {**config["corpora"], **config["faq"]["banks"]}
    for i, row in enumerate(table["rows"]):
        where = f"tables.{name}.rows[{i}]"
        for corpus in row["corpora"]:
            _known(f"{where}.corpora", corpus, places, "corpus or bank")
            if (table["layout"] == "faq") != (corpus in config["faq"]["banks"]):
                raise InputError(
                    f"config.{where}.corpora",
                    f"{corpus!r} does not suit layout {table['layout']!r}",
                )
        for base in row["bases"]:
            _known(f"{where}.bases", base, config["bases"], "base")
        for method in row["methods"]:
            if method != "start" and not entropy_parts(config, method):
                _known(f"{where}.methods", method, {**config["methods"], "start": None}, "method")
    methods = {method for row in table["rows"] for method in row["methods"]}
    if table.get("reference", "previous") not in {"previous", *methods}:
        raise InputError(
            f"config.tables.{name}.reference", f"no row has method {table['reference']!r}"
        )


def entropy_parts(config: dict, method: str) -> tuple[str, str] | None:
    """Split ``KIND-PHI`` into the kind and the literal φ; None for any other method name."""
    for kind in sorted(config["train_entropy"]["kinds"], key=len, reverse=True):
        phi = method.removeprefix(f"{kind}-")
        if phi != method and PHI.fullmatch(phi):
            return kind, phi
    return None
