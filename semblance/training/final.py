"""Trainings whose number of steps other trainings decide, by what their records say.

On a whole FAQ bank no question is left for a dev score, so that the folds' dev scores say when to
stop. A control of matched compute takes as many steps as what it is compared with.
"""

import statistics
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from semblance.data.corpus import read_rows
from semblance.data.tokens import read_tokens
from semblance.errors import InputError
from semblance.provenance import read_sealed
from semblance.training.recipe import TrainSettings, schedule, training_rows


def final_steps(shares: Sequence[float], steps: int) -> int:
    """Return the median share of ``steps``, at least one step."""
    # The median: one fold that is best at its first or last step does not decide alone (E10).
    return max(1, round(statistics.median(shares) * steps))


def with_steps_of(settings: TrainSettings, records: Sequence[str]) -> TrainSettings:
    """Return the settings with as many steps as trainings with these records, if any, took."""
    if not records:
        return settings
    # The steps taken, not those planned: entropy models stop early (R13).
    steps = sum(read_sealed(path)["training"]["step"] for path in records)
    return replace(settings, max_steps=steps)


def final_settings(
    settings: TrainSettings, corpus: str, tokens: str, folds: Sequence[str]
) -> TrainSettings:
    """Return the settings of the training on a whole bank: those of the folds, with its own steps.

    ``corpus``, ``tokens`` and ``folds`` are records; the learning rate falls over these steps.
    """
    if not folds:
        raise InputError("folds", "no training on a fold says when to stop")
    shares = []
    for path in folds:
        record = read_sealed(path)
        best = record.get("training", {}).get("best_step")
        if not best:  # without a dev score no step was best
            problem = "does not say after which of its steps a training was best"
            raise InputError(path, problem, "train this fold again")
        shares.append(best / record["steps"])
    rows = read_rows(Path(corpus).parent)
    offsets = read_tokens(Path(tokens).parent / "tokens.arrow").offsets
    rows = training_rows(rows, len(offsets) - 1, settings)
    return replace(settings, max_steps=final_steps(shares, schedule(rows, settings).steps))
