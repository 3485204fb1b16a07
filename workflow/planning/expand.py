"""From the config that a person reads to the full form that planning uses.

Pure functions of a config that fits its type and passes the cross-checks. In the full form each
training says its loss, options and dropout; regulators and the methods of a table are names.
"""

from typing import Any

from semblance.figures import KINDS
from workflow.planning.data import is_pretrained
from workflow.planning.methods import methods_of, regulator_names
from workflow.planning.signatures import loss_options

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
OF_OWN_FILE = {"together": "answer", "train_on": "wordings"}  # a user's own FAQ that says nothing
OWN_TEXT = "text"  # the kind of a user's own text, which is read like one of kind wiki
PRECISION = 0.9  # of the answers given, where an answerer states none
INHERITED = ("max_length", "million_parameters", "pooling", "tokenizer")  # of the other base
OF_PRETRAINING = {  # in place of the settings of all trainings
    "loss": None,  # no loss of sentences
    "views": "twice",  # each distinct sentence
    "head": "none",
    "encoders": 1,
    "evaluate_every": None,  # its last weights are its result
    "evaluate_share": None,
}


def expand(config: dict) -> dict:
    """Return the full form of a readable config; the config itself stays as it is."""
    kinds = config["train_entropy"]["kinds"]
    full = {
        **config,
        "bases": {name: _full_base(config, name) for name in config["bases"]},
        "corpora": {name: _full_corpus(corpus) for name, corpus in config["corpora"].items()},
        "sts": {"own": {}, **config["sts"]},
        "train_initial": _full_training(config, config["train_initial"]),
        "methods": {name: _full_method(config, name, m) for name, m in config["methods"].items()},
        "figures": {name: _full_figure(f) for name, f in config.get("figures", {}).items()},
    }
    banks = config["faq"]["banks"].items()
    full["faq"] = {
        **config["faq"],
        "banks": {n: OF_OWN_FILE | b if b["kind"] == "own" else b for n, b in banks},
    }
    full["train_entropy"] = {
        **config["train_entropy"],
        "kinds": {name: _full_kind(config, name, kind) for name, kind in kinds.items()},
    }
    full["tables"] = {
        name: {"labels": {}, **table, "rows": _full_rows(table["rows"])}
        for name, table in config["tables"].items()
    }
    answerers = config.get("answerers", {}).items()
    full["answerers"] = {name: {"precision": PRECISION, **answerer} for name, answerer in answerers}
    return full


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


def pretraining_settings(config: dict, base: str) -> dict[str, Any]:
    """Return all settings of the training of a base by masked words, but for its device."""
    stated = {**config["training"], **config["bases"][base]["pretrain"]}
    masked_words = {"weight": 1.0}
    if "share" in stated:
        masked_words["share"] = stated.pop("share")
    return {**stated, **OF_PRETRAINING, "masked_words": masked_words}


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
    taken = loss_options(loss)
    return {key: value for key, value in options.items() if key in taken}


def _full_base(config: dict, name: str) -> dict:
    """Return a base with its label and with what it inherits from another base."""
    base = {"label": name, **config["bases"][name]}
    if not is_pretrained(base):
        return base
    other = config["bases"][base["base"]]
    return {**{key: other[key] for key in INHERITED if key in other}, **base}


def _full_corpus(corpus: dict[str, Any]) -> dict[str, Any]:
    """Return a training set with its data sets, and the kind that prepares it."""
    kind = "wiki" if corpus["kind"] == OWN_TEXT else corpus["kind"]
    return {"datasets": [], **corpus, "kind": kind}


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
    if "recipe" not in method:
        return {"label": name, **method}
    full = {"label": name, **_full_training(config, method)}
    return full | {"regulators": regulator_names(method)}


def _full_figure(figure: dict) -> dict:
    """Return a figure with its options, and the layout of its models' tests."""
    tests = "faq" if KINDS.get(figure["kind"]) == "questions" else "sts"
    full = {"options": {}, "layout": tests, **figure}
    if "rows" in figure:
        full["rows"] = _full_rows(figure["rows"])
    return full


def _full_rows(rows: list[dict]) -> list[dict]:
    return [{**row, "methods": methods_of(row)} for row in rows]


def _without(values: dict, keys: set[str]) -> dict:
    return {key: value for key, value in values.items() if key not in keys}
