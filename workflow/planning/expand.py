"""From the config that a person reads to the full form that planning uses.

Pure functions of a config that the schema and the cross-checks accept. In the full form each
training says its loss, options and dropout; regulators and the methods of a table are names.
"""

from typing import Any

from semblance.figures import KINDS
from workflow.planning import losses, pretrained
from workflow.planning.answerers import full_answerer
from workflow.planning.banks import full_bank
from workflow.planning.corpora import full_corpus
from workflow.planning.methods import model_names
from workflow.planning.regulators import regulator_names

LAYERED = ("options", "dropout")  # of a recipe and of a training: laid over each other by key
RHYTHM = {"evaluate_every", "evaluate_share"}  # of evaluations: two ways to say the same
NOT_SETTINGS = {
    "recipe",
    "label",
    "regulators",
    "regulator_seeds",
    "steps_of",
    "on_faq",
    "by_base",
    "mined_negatives",
    "train_part",
}


def expand(config: dict) -> dict:
    """Return the full form of a readable config; the config itself stays as it is."""
    kinds = config["train_entropy"]["kinds"]
    return {
        **config,
        "bases": {name: pretrained.full_base(config["bases"], name) for name in config["bases"]},
        "corpora": {name: full_corpus(c) for name, c in config["corpora"].items()},
        "sts": {"own": {}, **config["sts"]},
        "faq": {
            **config["faq"],
            "banks": {name: full_bank(bank) for name, bank in config["faq"]["banks"].items()},
        },
        "train_initial": _full_training(config, config["train_initial"]),
        "train_entropy": {
            **config["train_entropy"],
            "kinds": {name: _full_kind(config, name, kind) for name, kind in kinds.items()},
        },
        "methods": {name: _full_method(config, name, m) for name, m in config["methods"].items()},
        "tables": {name: _full_table(table) for name, table in config["tables"].items()},
        "answerers": {n: full_answerer(a) for n, a in config.get("answerers", {}).items()},
        "figures": {name: _full_figure(f) for name, f in config.get("figures", {}).items()},
    }


def settings_of(config: dict, training: dict, base: str, on_faq: bool) -> dict[str, Any]:
    """Return all settings of a training of the full form, but for its seed.

    They are laid over each other: ``training``, the recipe, its ``on_faq`` on a fold of a FAQ bank,
    its ``by_base``, the training itself, its own ``on_faq`` on a fold.
    """
    recipe = config["recipes"][training["recipe"]]
    layers = [config["training"], recipe]
    if on_faq:
        layers.append(recipe.get("on_faq", {}))
    layers += [recipe.get("by_base", {}).get(base, {}), training]
    if on_faq:
        layers.append(training.get("on_faq", {}))
    settings: dict[str, Any] = {}
    for layer in layers:
        if RHYTHM & layer.keys():
            settings = _without(settings, RHYTHM)
        settings |= _without(layer, NOT_SETTINGS)
    return settings


def loss_of(config: dict, training: dict) -> str | None:
    """Return the loss of a training: its own, or its recipe's; None if neither says one."""
    return training.get("loss", config["recipes"][training["recipe"]].get("loss"))


def inherited_options(config: dict, training: dict) -> dict[str, Any]:
    """Return the options that a training takes over from its recipe.

    A training with another loss takes over only those that its own loss takes, too.
    """
    recipe = config["recipes"][training["recipe"]]
    options = recipe.get("options", {})
    loss = loss_of(config, training)
    if loss == recipe.get("loss"):
        return options
    taken = losses.options(loss)
    return {key: value for key, value in options.items() if key in taken}


def _full_training(config: dict, training: dict) -> dict:
    """Return a training with its loss, and with the options and the dropout of its recipe in it."""
    recipe = config["recipes"][training["recipe"]]
    under = {"options": inherited_options(config, training), "dropout": recipe.get("dropout", {})}
    full = {**training, "loss": loss_of(config, training)}
    for key in LAYERED:
        layered = {**under[key], **training.get(key, {})}
        if layered:
            full[key] = layered
    return full


def _full_kind(config: dict, name: str, kind: dict) -> dict:
    return {"label": f"{name}-{{phi}}", **_full_training(config, {**kind, "loss": "entropy"})}


def _full_method(config: dict, name: str, method: dict) -> dict:
    if "choose" in method or "whitening" in method or "ranking" in method:
        return {"label": name, **method}
    full = {"label": name, **_full_training(config, method)}
    return full | {"regulators": regulator_names(method)}


def _full_table(table: dict) -> dict:
    return {**table, "labels": table.get("labels", {}), "rows": _full_rows(table["rows"])}


def _full_figure(figure: dict) -> dict:
    """Return a figure with its options, and the layout of its models' tests."""
    tests = "sts"
    if KINDS.get(figure["kind"]) == "questions":
        tests = "faq"
    full = {"options": {}, "layout": tests, **figure}
    if "rows" in figure:
        full["rows"] = _full_rows(figure["rows"])
    return full


def _full_rows(rows: list[dict]) -> list[dict]:
    """Return rows that name each of their methods."""
    return [
        {**row, "methods": [n for entry in row["methods"] for n in model_names(entry)]}
        for row in rows
    ]


def _without(values: dict, keys: set[str]) -> dict:
    return {key: value for key, value in values.items() if key not in keys}
