"""The costs of shipped configs, and two of their jobs, for the tests of costs."""

import functools

from semblance.fetch.manifest import load_manifest
from semblance.provenance import ROOT
from tests.shipped import changed, merged
from workflow.checks.load import load
from workflow.planning.stages import Job
from workflow.run.costs import Cost

TRAIN = Job("train", "nli", "nli-roberta-base-v2", "rcl-8", 1)
LARGE = Job("train", "wiki1m", "bert-large", "simcse", 1)
EMBED = Job("embed", "nli", "nli-roberta-base-v2", "entropy-0.01")

MANIFEST = load_manifest(ROOT / "workflow/manifest.yaml")
FULL = ("config.yaml",)
OWN_FAQ = ("config.yaml", "configs/own-faq.yaml")
SMALL = ("config.yaml", "configs/minilm.yaml", "configs/minilm-cpu.yaml")
parsed = functools.cache(merged)


def cost(changes: str = "", names: tuple = FULL) -> Cost:
    """Return the costs of the full reproduction, or of other configs, with some keys changed."""
    return Cost(load(changed(parsed(*names), changes)), MANIFEST)


def small() -> Cost:
    """Return the costs of the small run on a CPU."""
    return cost(names=SMALL)
