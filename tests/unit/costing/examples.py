"""The costs of shipped configs, and two of their jobs, for the tests of costs."""

import functools

from semblance.download.manifest import load_manifest
from tests.shipped import merged
from tests.unit.planning.test_config import ROOT
from workflow.costing import rates
from workflow.costing.model import Cost
from workflow.costing.rates import Factor
from workflow.planning.config import load
from workflow.planning.stages import Job

TRAIN = Job("train", "nli", "nli-roberta-base-v2", "rcl-8", 1)
LARGE = Job("train", "wiki1m", "bert-large", "simcse", 1)
EMBED = Job("embed", "nli", "nli-roberta-base-v2", "entropy-0.01")

MANIFEST = load_manifest(ROOT / "workflow/manifest.yaml")
SHIPPED = rates.shipped()
SMALL = ("config.yaml", "configs/minilm.yaml", "configs/minilm-cpu.yaml")
parsed = functools.cache(merged)


def cost(factor: Factor = Factor(), names: tuple = ("config.yaml",), **changes) -> Cost:
    """Return the costs of the full reproduction, or of other configs, with some sections changed."""
    return Cost(load(parsed(*names) | changes), MANIFEST, SHIPPED, factor)


def small(factor: Factor = Factor()) -> Cost:
    """Return the costs of the small run on a CPU."""
    return cost(factor, SMALL)
