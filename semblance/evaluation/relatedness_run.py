"""The evaluation of STS-B and SICK with a regressor, from files to files."""

import time
from dataclasses import dataclass
from pathlib import Path

from semblance.evaluation.relatedness import Relatedness, read_parts, score_rows
from semblance.evaluation.run import protocol_of
from semblance.evaluation.scored import (
    Scored,
    Target,
    device_of,
    open_model,
    write_evaluation,
)
from semblance.models.saved import SavedModel
from semblance.provenance import checked, outputs_digest
from semblance.settings import Seed


@dataclass(frozen=True)
class RelatednessRun:
    """Which model is evaluated, and the seed of the regressors; φ of an entropy model."""

    corpus: str
    base: str
    method: str
    seed: str
    regressor_seed: Seed
    phi: str = ""


def evaluate_relatedness(run: RelatednessRun, model: str, data: str, target: Target) -> None:
    """Write the correlations that a regressor reaches on the vectors of the model with record ``model``.

    ``data`` is the record of the prepared pairs.
    """
    started = time.monotonic()
    record = checked(data)
    saved = SavedModel.read(model)
    encoder, facts = open_model(saved, target)
    facts["data"] = outputs_digest(record)
    tasks = Relatedness(read_parts(Path(data).parent), saved.tokenizer, saved.prompts.default)
    predictions = tasks.predict(encoder, saved.max_length, run.regressor_seed)
    protocol = protocol_of(data)
    rows = [{"fold": "", "protocol": protocol, **row} for row in score_rows(predictions)]
    read = {"weights": saved.record, "data": record}
    device = device_of(encoder)
    settings = {"regressor_seed": run.regressor_seed}
    scored = Scored("evaluate_relatedness", run, rows, predictions, facts, read, device, settings)
    write_evaluation(scored, target, started)
