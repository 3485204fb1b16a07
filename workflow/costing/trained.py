"""How much a training reads, and to how many items classifiers are fitted, by their settings."""

import math
from collections.abc import Mapping
from typing import Any

from workflow.costing.sizes import Corpus

GRID = 6  # values of C that a classifier tries (7 where a task has no dev part)


def schedule(settings: Mapping[str, Any], corpus: Corpus) -> tuple[int, float]:
    """Return the steps of a training that does not stop early, and the tokens of each."""
    rows = corpus.rows
    sequences = 2 + corpus.negatives
    if settings["views"] == "twice":
        rows = corpus.texts.sentences
        sequences = 2
    batch_size = min(settings["batch_size"], rows)
    steps = int(rows / batch_size) * settings["epochs"]
    steps = int(min(steps, settings.get("max_steps", math.inf)))
    return steps, batch_size * sequences * corpus.texts.cut(settings["max_length"]).tokens


def readings(settings: Mapping[str, Any]) -> float:
    """Return how often a training reads the texts of a batch: masked words need a pass of their own.

    Without a loss of sentences, one of the two equal texts of a row is read.
    """
    if settings["loss"] is None:
        return 0.5
    if "masked_words" in settings:
        return 2
    return 1


def evaluations(settings: Mapping[str, Any], steps: int) -> int:
    """Return how often a training reads the dev set: at the start, on the way and at the end."""
    every = settings.get("evaluate_every")
    if not every and settings.get("evaluate_share"):
        every = max(1, round(settings["evaluate_share"] * steps))
    if not every:
        return 0
    return 1 + math.ceil(steps / every)


def fitted_items(counts: Mapping[str, int], folds: int) -> float:
    """Return how many items the classifiers of a transfer task are fitted to, all fits together."""
    if "dev" in counts:
        return (GRID + 1) * counts["train"]
    share = 1 - 1 / folds
    if "train" in counts:
        return counts["train"] * (folds * (GRID + 1) * share + 1)
    return sum(counts.values()) * folds * share * (folds * GRID * share + 1)
