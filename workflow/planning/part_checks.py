"""Methods that are trained on a part of a FAQ bank, and learning curves, as a config states them."""

from collections.abc import Mapping
from typing import Any

from semblance.errors import InputError

KEY = "train_part"  # of a method


def curves_of(answerer: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the methods of an answerer's learning curves by what they have parts of; or none."""
    return answerer.get("learning_curves", {})


def percent_of(config: dict, method: str) -> int:
    """Return how many percent of the entries or wordings a method is trained on."""
    return config["methods"][method].get(KEY, {}).get("percent", 100)


def check_part(where: str, method: dict[str, Any]) -> None:
    """Check that a method with a part reads nothing that was made of the whole fold."""
    for key in ("regulators", "mined_negatives"):
        if KEY in method and method.get(key):
            problem = f"its {key} are made of all of the fold"
            raise InputError(f"config.{where}.{KEY}", problem, f"name a method without {key}")


def check_on_folds(config: dict, where: str, over_folds: bool, method: str) -> None:
    """Check that a method that is trained on a part stands in a table of a FAQ bank."""
    if KEY in config["methods"].get(method, {}) and not over_folds:
        problem = f"{method!r} is trained on a part of a FAQ bank, and this is none"
        raise InputError(where, problem, "name it in a table of a FAQ bank")


def check_curve(config: dict, where: str, of: str, curve: list[str]) -> None:
    """Check the methods of a learning curve: growing parts of one kind, and at the end the whole."""
    advice = "name methods from the smallest part to the whole"
    for method in curve:
        if method not in config["methods"]:
            raise InputError(f"config.{where}", f"there is no method {method!r}", advice)
    percents = [percent_of(config, method) for method in curve]
    kinds = {config["methods"][method].get(KEY, {}).get("of", of) for method in curve}
    if percents != sorted(set(percents)) or percents[-1:] != [100] or kinds != {of}:
        raise InputError(f"config.{where}", f"they are no growing parts of the {of}", advice)
