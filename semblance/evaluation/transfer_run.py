"""The evaluation on SentEval's transfer tasks, from files to files."""

import time
from dataclasses import dataclass
from pathlib import Path

from semblance.evaluation.classifier import Classifier
from semblance.evaluation.scored import (
    Scored,
    Target,
    device_of,
    open_model,
    write_evaluation,
)
from semblance.evaluation.transfer import Transfer, accuracy_rows, read_items
from semblance.models.saved import SavedModel
from semblance.provenance import checked, outputs_digest
from semblance.settings import Count, Seed

LIBRARIES = ("scipy", "scikit-learn")  # that fit the classifiers
PROTOCOL = "senteval"  # of the texts: they are released in no other form


@dataclass(frozen=True)
class TransferRun:
    """Which model is evaluated; the classifier's folds and the seed of their shuffling; φ."""

    corpus: str
    base: str
    method: str
    seed: str
    folds: Count
    shuffle: Seed
    phi: str = ""


def evaluate_transfer(run: TransferRun, model: str, data: str, target: Target) -> None:
    """Write the accuracies of the model with record ``model`` on the transfer tasks.

    ``data`` is the record of the prepared items.
    """
    started = time.monotonic()
    record = checked(data)
    saved = SavedModel.read(model)
    encoder, facts = open_model(saved, target, LIBRARIES)
    facts["data"] = outputs_digest(record)
    tasks = Transfer(read_items(Path(data).parent), saved.tokenizer, saved.prompts.default)
    classifier = Classifier(run.folds, run.shuffle, target.compute.threads)
    predictions = tasks.predict(encoder, saved.max_length, classifier)
    rows = [{"fold": "", "protocol": PROTOCOL, **row} for row in accuracy_rows(predictions)]
    read = {"weights": saved.record, "data": record}
    device = device_of(encoder)
    settings = {"folds": run.folds, "shuffle": run.shuffle}
    scored = Scored("evaluate_transfer", run, rows, predictions, facts, read, device, settings)
    write_evaluation(scored, target, started)
