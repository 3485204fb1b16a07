"""In what a training of ours differs from the settings that a paper states of its own.

In what is stated, None means that a setting is not there, and a list that any of its values will
do. A setting that the paper does not state may have any value.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from workflow.planning.methods import entropy_parts, whitening
from workflow.planning.plan import Plan

BY_MODELS = "regulators"  # stated of the entropy models that a method reads


class Place(NamedTuple):
    """What a training is a training on: a corpus (of a bank, its first fold) and a base."""

    corpus: str
    base: str


class Stated:
    """Compares the trainings of one config with the methods of the papers."""

    def __init__(self, plan: Plan, methods: Mapping[str, Mapping[str, Any]]):
        self.plan = plan
        self.methods = methods

    def of_training(self, place: Place, method: str, stated: Mapping[str, Any]) -> list[str]:
        """Return in what one training differs; what its entropy models share with it, once."""
        found = list(differing(self._settings(place, method), stated))
        if BY_MODELS not in stated:
            return found
        models = self._entropy_models(place, method)
        found += [f"regulator {name}" for name in self._other_regulators(method)]
        found += _of_phis(models, stated[BY_MODELS]["phis"])
        theirs = self.methods[stated[BY_MODELS]["method"]]
        parts = dict.fromkeys(part for ours in models for part in differing(ours, theirs))
        return [*found, *(f"entropy models: {part}" for part in parts if part not in found)]

    def of_choice(
        self, place: Place, candidates: list[str], stated: Mapping[str, Any]
    ) -> list[str]:
        """Return in what the candidates of a choice on dev differ from the paper's grid."""
        found: dict[str, None] = {}
        for name in candidates:
            found |= dict.fromkeys(self.of_training(place, name, stated))
        tried = {self._point(place, name) for name in candidates}
        points = len(_accepted(stated["batch_size"])) * len(_phi_sets(stated[BY_MODELS]["phis"]))
        if not found and len(tried) < points:
            found[f"chosen out of {len(tried)} of {points} settings"] = None
        return list(found)

    def _point(self, place: Place, method: str) -> tuple[int, tuple[float, ...]]:
        models = self._entropy_models(place, method)
        return self._settings(place, method)["batch_size"], tuple(_phis_of(models))

    def _entropy_models(self, place: Place, method: str) -> list[dict[str, Any]]:
        """Return the settings of the entropy models that regulate a method."""
        names = self._regulators(method)
        return [self._settings(place, n) for n in names if entropy_parts(self.plan.config, n)]

    def _other_regulators(self, method: str) -> list[str]:
        return [n for n in self._regulators(method) if not entropy_parts(self.plan.config, n)]

    def _regulators(self, method: str) -> list[str]:
        return self.plan.config["methods"].get(method, {}).get("regulators", [])

    def _settings(self, place: Place, method: str) -> dict[str, Any]:
        fitted_on = whitening(self.plan.config, method)
        if fitted_on is not None:
            return {"whitening": fitted_on}
        parts = entropy_parts(self.plan.config, method)
        if parts is None:
            text = self.plan.train_settings(*place, method, 0)
        else:
            text = self.plan.entropy_settings(*place, *parts, 0)
        return json.loads(text)


def differing(
    ours: Mapping[str, Any], stated: Mapping[str, Any], prefix: str = ""
) -> Iterator[str]:
    """Yield each setting that is stated and that ours has otherwise."""
    for key, expected in stated.items():
        found = ours.get(key)
        if isinstance(expected, dict):
            if key != BY_MODELS:
                yield from differing(found or {}, expected, f"{prefix}{key}.")
        elif found not in _accepted(expected):
            yield f"{prefix}{key} {_word(found)} instead of {_words(expected)}"


def _of_phis(models: list[dict[str, Any]], stated: list) -> list[str]:
    phis = _phis_of(models)
    sets = _phi_sets(stated)
    if phis in sets:
        return []
    return [f"regulators of φ {_listed(phis)} instead of {' or '.join(map(_listed, sets))}"]


def _phis_of(models: list[dict[str, Any]]) -> list[float]:
    return sorted(model["options"]["phi"] for model in models)


def _phi_sets(stated: list) -> list[list[float]]:
    """Return the sets of φ that are stated: one, or a list of them."""
    if isinstance(stated[0], list):
        return stated
    return [stated]


def _accepted(expected: Any) -> list[Any]:
    if isinstance(expected, list):
        return expected
    return [expected]


def _words(expected: Any) -> str:
    values = _accepted(expected)
    return " or ".join(_word(value) for value in values if value is not None or len(values) == 1)


def _word(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def _listed(numbers: Iterable[float]) -> str:
    return ", ".join(map(str, numbers)) or "none"
