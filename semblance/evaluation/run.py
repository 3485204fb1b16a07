"""The evaluations on sentence pairs and on FAQ banks, from files to files."""

import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Literal

from semblance.data.folds import dev_part
from semblance.errors import InputError
from semblance.evaluation import retrieval, similarity
from semblance.evaluation.prepared import (
    Bank,
    Question,
    read_bank,
    read_candidates,
    read_pairs,
)
from semblance.evaluation.ranking import Ranking, known_candidates
from semblance.evaluation.scored import (
    Scored,
    Target,
    device_of,
    open_model,
    write_evaluation,
)
from semblance.models.saved import SavedModel
from semblance.names import FAQ_DEV, STEPS, STS_DEV, TRAINING
from semblance.provenance import checked, outputs_digest, read_sealed
from semblance.ranking.candidates import Candidates
from semblance.settings import StsProtocol, decode_as

WhitenedOn = Literal["target"]  # by an evaluation: the sentences of the task


@dataclass(frozen=True)
class StsRun:
    """Which model is evaluated on STS; φ of an entropy model.

    ``whitening``: its vectors are whitened for each task, on the sentences of that task.
    """

    corpus: str
    base: str
    method: str
    seed: str
    phi: str = ""
    whitening: WhitenedOn | None = None


@dataclass(frozen=True)
class FaqRun:
    """Which model is evaluated on which fold of a bank, how it ranks; φ as in StsRun."""

    corpus: str
    base: str
    method: str
    seed: str
    bank: str
    fold: int
    protocols: tuple[str, ...]
    phi: str = ""
    ranking: Ranking = field(default_factory=Ranking)


def evaluate_sts(run: StsRun, model: str, test: str, dev: str, target: Target) -> None:
    """Write the STS scores of the model with record ``model``: of the test sets and of STS-B dev.

    ``test`` and ``dev`` are the records of the prepared pairs. Each score names the protocol of
    its pairs.
    """
    started = time.monotonic()
    test_record = checked(test)
    dev_record = checked(dev)
    of_test = {"fold": "", "protocol": protocol_of(test)}
    of_dev = {"fold": "", "protocol": protocol_of(dev), "data": outputs_digest(dev_record)}
    saved = SavedModel.read(model)
    encoder, facts = open_model(saved, target)
    facts["data"] = outputs_digest(test_record)
    pairs = similarity.join_pairs(read_pairs(Path(dev).parent), read_pairs(Path(test).parent))
    sentences = similarity.Sts(pairs, saved.tokenizer, saved.prompts.default)
    predictions, geometry = sentences.predict(
        encoder, saved.max_length, whiten=run.whitening is not None
    )
    rows = [
        *similarity.score_rows(predictions),
        *_geometry_rows(geometry),
        *_step_rows(saved),
    ]
    for row in rows:
        if row["task"] == STS_DEV:
            row |= of_dev
        else:
            row |= of_test
    read = {"weights": saved.record, "data": test_record, "dev": dev_record}
    device = device_of(encoder)
    settings = {}
    if run.whitening is not None:
        settings["whitening"] = run.whitening
    scored = Scored("evaluate_sts", run, rows, predictions, facts, read, device, settings)
    write_evaluation(scored, target, started)


def protocol_of(record: str) -> StsProtocol:
    """Return the protocol of prepared pairs, which their record names."""
    settings = read_sealed(record).get("settings", {})
    return decode_as(StsProtocol, settings.get("protocol"), f"{record}: settings.protocol")


def _geometry_rows(geometry: similarity.Geometry) -> Iterable[dict]:
    """Yield the score rows of alignment and uniformity, measured on the test pairs of STS-B."""
    for name, (value, count) in geometry.items():
        row = {"task": "stsb", "subset": "", "metric": name, "aggregation": "all"}
        yield row | {"value": value, "n": count}


def _step_rows(model: SavedModel) -> Iterable[dict]:
    """Yield the score row of the steps that a training took; none of an untrained model."""
    steps = model.record.get("training", {}).get("step")
    if steps:
        row = {"task": TRAINING, "subset": "", "metric": STEPS, "aggregation": "all"}
        yield row | {"value": float(steps), "n": 1}


def evaluate_faq(
    run: FaqRun, model: str, bank: str, dev: str, max_length: int, target: Target
) -> None:
    """Write the retrieval scores of one fold of a bank: of its test and of its dev questions.

    ``bank`` and ``dev`` are the records of the whole bank and of the fold's dev questions.
    """
    started = time.monotonic()
    bank_record = checked(bank)
    dev_record = checked(dev)
    saved = SavedModel.read(model)
    encoder, facts = open_model(saved, target)
    facts["data"] = outputs_digest(bank_record)
    whole = read_bank(Path(bank).parent)
    test = [q for q in whole.questions if q.part == run.fold and q.protocol in run.protocols]
    held_out = _dev_questions(dev, whole)
    candidates = _candidates(run, bank)
    ranking = retrieval.Retrieval(candidates, test, held_out, saved.tokenizer, saved.prompts)
    predictions = ranking.predict(encoder, max_length, run.ranking.by)
    rows = list(retrieval.score_rows(predictions))
    for row in rows:
        row |= {"fold": str(run.fold), "task": run.bank}
        if row["protocol"] == FAQ_DEV:
            row["data"] = outputs_digest(dev_record)
    read = {"weights": saved.record, "data": bank_record, "dev": dev_record}
    device = device_of(encoder)
    settings = {"ranking": asdict(run.ranking)}
    scored = Scored("evaluate_faq", run, rows, predictions, facts, read, device, settings)
    write_evaluation(scored, target, started)


def _candidates(run: FaqRun, bank: str) -> Candidates:
    """Return what the questions of a fold are compared with."""
    read = read_candidates(Path(bank).parent)
    folds = read_sealed(bank)["folds"]
    held_out = (run.fold, dev_part(run.fold, folds))
    return known_candidates(read, run.ranking.match, held_out)


def _dev_questions(record: str, whole: Bank) -> list[Question]:
    """Return the dev questions of a fold, under the protocol that stands for them."""
    bank = read_bank(Path(record).parent)
    if bank.answers != whole.answers:
        problem = "its answers are not those of the bank"
        raise InputError(record, problem, "delete both records and prepare the bank again")
    return [replace(question, protocol=FAQ_DEV) for question in bank.questions]
