"""The configs that the project ships, laid over each other, and changes of them."""

import copy
import re

import yaml

from semblance.provenance import ROOT
from workflow.config.layers import laid_over


def merged(*names: str) -> dict:
    """Return configs laid over each other, with the papers below them, not yet validated."""
    return copy.deepcopy(dict(laid_over([ROOT / name for name in names])))


def changed(config: dict, changes: str) -> dict:
    """Return a config after changes such as ``a.b[0].c = VALUE; d = VALUE``; without a value the key goes."""
    config = copy.deepcopy(config)
    for assignment in re.split(r"; (?=\w+\.)", changes) if changes else ():
        key, _, value = assignment.partition("=")
        steps = [s for s in re.split(r"\.|\[|\]\.?", key.strip()) if s]
        *above, last = [int(step) if step.isdigit() else step for step in steps]
        node = config
        for step in above:
            node = node.setdefault(step, {}) if isinstance(node, dict) else node[step]
        if value.strip():
            node[last] = yaml.safe_load(value)
        else:
            del node[last]
    return config
