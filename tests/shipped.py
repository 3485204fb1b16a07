"""The configs that the project ships, laid over each other."""

import copy

from semblance.provenance import ROOT
from workflow.planning.layers import laid_over


def merged(*names: str) -> dict:
    """Return configs laid over each other, with the papers below them, not yet validated."""
    return copy.deepcopy(dict(laid_over([ROOT / name for name in names])))
