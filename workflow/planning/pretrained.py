"""Bases that are trained here: another base and a corpus, by masked words alone, before any method."""

from typing import Any

from semblance.errors import InputError
from workflow.planning import word_vectors
from workflow.planning.collecting import check_known

INHERITED = ("max_length", "million_parameters", "pooling", "tokenizer")  # from the other base
FIXED = {  # what such a training has in place of the settings of all trainings
    "loss": None,  # no loss of sentences
    "views": "twice",  # each distinct sentence
    "head": "none",
    "encoders": 1,
    "evaluate_every": None,  # its last weights are its result
    "evaluate_share": None,
}


def is_pretrained(base: dict) -> bool:
    """Tell whether a base of the config is trained here."""
    return "pretrain" in base


def full_base(bases: dict, name: str) -> dict:
    """Return a base with its label and with what it inherits from another base."""
    base = {"label": name, **bases[name]}
    if not is_pretrained(base):
        return base
    other = bases[base["base"]]
    return {**{key: other[key] for key in INHERITED if key in other}, **base}


def settings_of(config: dict, base: str) -> dict[str, Any]:
    """Return all settings of the training of a base, but for its device."""
    stated = {**config["training"], **config["bases"][base]["pretrain"]}
    masked_words = {"weight": 1.0}
    if "share" in stated:
        masked_words["share"] = stated.pop("share")
    return {**stated, **FIXED, "masked_words": masked_words}


def check_pretrained(config: dict, name: str, base: dict) -> None:
    """Check that the other base and the corpus of a base that is trained here exist."""
    where = f"bases.{name}"
    check_known(f"{where}.base", base["base"], config["bases"], "base")
    check_known(f"{where}.corpus", base["corpus"], config["corpora"], "corpus")
    check_downloaded(config, f"{where}.base", base["base"])


def check_downloaded(config: dict, where: str, name: str) -> None:
    """Raise InputError, at ``config.where``, for a base that is made here itself."""
    other = config["bases"][name]
    word_vectors.check_transformer(config, f"config.{where}", name)
    if is_pretrained(other):
        advice = f"name the base that it is trained from: {other.get('base')}"
        raise InputError(f"config.{where}", f"{name!r} is trained here itself", advice)
