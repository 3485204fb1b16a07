"""The learning curve of an own FAQ: what lies beside the config of its trainings."""

from copy import deepcopy
from typing import Any, NamedTuple

PERCENTS = (25, 50)  # beside all


class LearningCurve(NamedTuple):
    """A part of a config: the ``methods`` to add, and the ``learning_curves`` of the answerer.

    A table of the bank must have rows of the methods, too.
    """

    methods: dict[str, dict[str, Any]]
    learning_curves: dict[str, list[str]]


NO_CURVE = LearningCurve({}, {})


def learning_curve(name: str, method: dict[str, Any], wordings: bool) -> LearningCurve:
    """Return the learning curve of a method without regulators, which the config has by this name.

    ``wordings``: whether users' wordings, which the bank trains on, have a curve, too.
    """
    kinds = ["entries"]
    if wordings:
        kinds.append("wordings")
    methods = {}
    curves = {}
    for of in kinds:
        parts = {f"{name}-{percent}-{of}": percent for percent in PERCENTS}
        for part, percent in parts.items():
            label = f"{method.get('label', name)} on {percent} % of the {of}"
            part_of = {"percent": percent, "of": of}
            methods[part] = {**deepcopy(method), "label": label, "train_part": part_of}
        curves[of] = [*parts, name]
    return LearningCurve(methods, curves)
