"""Cross-checks of a config that fits the schema: each name exists, each option can act."""

import functools
from collections.abc import Iterator
from pathlib import Path

from semblance.errors import InputError
from semblance.layout import INITIAL, NO_CORPUS, START
from semblance.reporting.published import read_published
from workflow.planning import losses
from workflow.planning.methods import entropy_parts

PUBLISHED = Path(__file__).parents[1] / "published.yaml"
TRAINED_BY_KIND = (INITIAL, START)  # method names with rules of their own
NEEDED = ("batch_size", "epochs", "learning_rate", "max_length")  # by every training
OTHER_TABLES = ("scores", "published")  # files that lie beside the tables
OF_RECIPES = ("by_base", "gpus", "jobs_per_gpu", "checkpoint_minutes", "checkpoint_steps")


def check(config: dict) -> None:
    """Raise InputError, with the key, for the first entry that cannot mean what it says."""
    for name, base in config["bases"].items():
        _check_base(config, name, base)
    for name, recipe in {"": config["training"], **config["recipes"]}.items():
        _check_recipe(config, f"recipes.{name}" if name else "training", recipe)
    if NO_CORPUS in config["corpora"]:
        where = f"config.corpora.{NO_CORPUS}"
        raise InputError(where, "this name stands for no corpus", "choose another")
    for name, bank in config["faq"]["banks"].items():
        _check_bank(config, name, bank)
    for name, method in config["methods"].items():
        _check_method(config, name, method)
    for name, kind in config["train_entropy"]["kinds"].items():
        _check_entropy_kind(config, f"train_entropy.kinds.{name}", kind)
    _check_no_regulators("train_initial", config["train_initial"])
    _check_training(config, "train_initial", config["train_initial"])
    for name, table in config["tables"].items():
        _check_table(config, name, table)


def _check_known(where: str, name: str, table: dict, kind: str) -> None:
    if name not in table:
        known = ", ".join(sorted(table))
        raise InputError(f"config.{where}", f"there is no {kind} {name!r}", f"known are {known}")


def _check_base(config: dict, name: str, base: dict) -> None:
    _check_known(f"bases.{name}.tokenizer", base["tokenizer"], config["bases"], "base")
    if sum(key in base for key in ("hub", "package", "folder")) != 1:
        raise InputError(f"config.bases.{name}", "needs exactly one of hub, package, folder")
    if "hub" in base and "revision" not in base:
        where = f"config.bases.{name}.revision"
        raise InputError(where, "missing key", "pin a commit of the repository")


def _check_recipe(config: dict, where: str, recipe: dict) -> None:
    _check_no_regulators(where, recipe)
    for key in NEEDED:
        if where != "training" and key not in recipe and key not in config["training"]:
            raise InputError(f"config.{where}.{key}", "missing key", "each training needs it")
    for base in recipe.get("by_base", {}):
        _check_known(f"{where}.by_base.{base}", base, config["bases"], "base")


def _check_bank(config: dict, name: str, bank: dict) -> None:
    where = f"config.faq.banks.{name}"
    if ("path" if bank["kind"] == "own" else "dataset") not in bank:
        raise InputError(where, "needs path (kind: own) or dataset (every other kind)")
    if "path" in bank and bank["kind"] != "own":
        raise InputError(f"{where}.path", "has no effect here", "it belongs to kind: own")
    names = {name, *(f"{name}-{fold}" for fold in range(config["faq"]["folds"]))}
    if taken := names & set(config["corpora"]):
        raise InputError(where, f"a corpus has the name {min(taken)} already")


def _check_method(config: dict, name: str, method: dict) -> None:
    where = f"methods.{name}"
    _check_training(config, where, method)
    if name in TRAINED_BY_KIND or entropy_parts(config, name):
        raise InputError(f"config.{where}", "this name is taken by a stage of its own")
    for regulator in method.get("regulators", []):
        if not entropy_parts(config, regulator):
            kinds = ", ".join(config["train_entropy"]["kinds"])
            problem = f"{regulator!r} is not KIND-PHI"
            raise InputError(f"config.{where}.regulators", problem, f"kinds are {kinds}")


def _check_entropy_kind(config: dict, where: str, kind: dict) -> None:
    """Check one kind of entropy model; its φ comes from the names of methods, KIND-PHI."""
    if kind.get("loss", "entropy") != "entropy":
        raise InputError(f"config.{where}.loss", "has no effect here", "it is always entropy")
    _check_no_regulators(where, kind)
    options = kind.get("options", {})
    if "phi" in options:
        advice = "φ is the number in a method's name: entropy-0.01"
        raise InputError(f"config.{where}.options.phi", "has no effect here", advice)
    _check_training(config, where, {**kind, "loss": "entropy", "options": {**options, "phi": 0.0}})


def _check_no_regulators(where: str, entry: dict) -> None:
    if "regulators" in entry:
        advice = "it belongs to a method"
        raise InputError(f"config.{where}.regulators", "has no effect here", advice)


def _check_training(config: dict, where: str, entry: dict) -> None:
    """Check what a method, a kind of entropy model or the initial model says of its training."""
    for key in ("recipe", "loss"):
        if key not in entry:
            raise InputError(f"config.{where}.{key}", "missing key")
    for key in OF_RECIPES:
        if key in entry:
            advice = "it belongs to recipes or training"
            raise InputError(f"config.{where}.{key}", "has no effect here", advice)
    _check_known(f"{where}.recipe", entry["recipe"], config["recipes"], "recipe")
    if entry["loss"] not in losses.names():
        problem = f"there is no semblance/training/losses/{entry['loss']}.py"
        raise InputError(f"config.{where}.loss", problem, f"known are {', '.join(losses.names())}")
    for merged in _merged(config, entry):
        _check_loss(where, merged)
        _check_sampled(where, merged)


def _merged(config: dict, entry: dict) -> Iterator[dict]:
    """Yield a training's settings, and those for each base that its recipe tells apart."""
    recipe = config["recipes"][entry["recipe"]]
    for of_base in ({}, *recipe.get("by_base", {}).values()):
        yield {**config["training"], **recipe, **of_base, **entry}


def _check_loss(where: str, training: dict) -> None:
    """Check a training's options and regulators against the signature of its loss."""
    loss = training["loss"]
    losses.check_options(loss, training.get("options", {}), f"config.{where}.options")
    reads = losses.reads_regulators(loss)
    given = bool(training.get("regulators"))
    if reads and not given:
        advice = "name entropy models, such as entropy-0.01"
        raise InputError(f"config.{where}.regulators", f"loss {loss!r} needs regulators", advice)
    if given and not reads:
        able = ", ".join(name for name in losses.names() if losses.reads_regulators(name))
        problem = f"loss {loss!r} reads no regulators"
        raise InputError(f"config.{where}.regulators", problem, f"losses that do are {able}")


def _check_sampled(where: str, training: dict) -> None:
    sampled = training.get("dropout", {}).get("sampled", {})
    if sampled.get("low", 0.0) > sampled.get("high", 0.9):
        raise InputError(f"config.{where}.dropout.sampled", "low is above high")


def _check_table(config: dict, name: str, table: dict) -> None:
    where = f"tables.{name}"
    if name in OTHER_TABLES:
        problem = "another file beside the tables has this name"
        raise InputError(f"config.{where}", problem, "choose another")
    _check_known(f"{where}.seeds", table["seeds"], config["seeds"], "list of seeds")
    for i, row in enumerate(table["rows"]):
        _check_row(config, f"{where}.rows[{i}]", table["layout"], row)
    methods = {method for row in table["rows"] for method in row["methods"]}
    if table.get("reference", "previous") not in {"previous", *methods}:
        problem = f"no row has method {table['reference']!r}"
        raise InputError(f"config.{where}.reference", problem)
    for ours, theirs in table.get("published", {}).items():
        _check_published(config, f"{where}.published.{ours}", ours, theirs)


def _check_row(config: dict, where: str, layout: str, row: dict) -> None:
    banks = config["faq"]["banks"]
    for corpus in row["corpora"]:
        places = {**config["corpora"], **banks}
        _check_known(f"{where}.corpora", corpus, places, "corpus or bank")
        if (layout == "faq") != (corpus in banks):
            raise InputError(
                f"config.{where}.corpora", f"{corpus!r} does not suit layout {layout!r}"
            )
    for base in row["bases"]:
        _check_known(f"{where}.bases", base, config["bases"], "base")
    for method in row["methods"]:
        _check_method_name(config, f"{where}.methods", method)


def _check_method_name(config: dict, where: str, method: str) -> None:
    if not entropy_parts(config, method):
        _check_known(where, method, {**config["methods"], START: None}, "method")


def _check_published(config: dict, where: str, ours: str, theirs: str) -> None:
    """Check that ``published:`` names a method of ours and a row that a paper prints.

    A base before the method may be unknown: another config may have removed it.
    """
    _check_method_name(config, where, ours.rpartition("/")[2])
    if theirs not in _published_rows():
        paper = theirs.rpartition("/")[0]
        near = sorted(row for row in _published_rows() if row.rpartition("/")[0] == paper)
        advice = f"that table has {', '.join(near)}" if near else f"see {PUBLISHED.name}"
        raise InputError(f"config.{where}", f"there is no published row {theirs!r}", advice)


@functools.cache
def _published_rows() -> frozenset[str]:
    return frozenset(entry.name for entry in read_published(PUBLISHED).entries)
