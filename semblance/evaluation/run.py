"""One model's evaluation from files to files: scores in the long form, predictions, record."""

import csv
import io
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from semblance.errors import InputError
from semblance.evaluation import retrieval, similarity
from semblance.evaluation.prepared import Bank, Question, read_bank, read_pairs
from semblance.files import write_text
from semblance.locks import exclusive
from semblance.models import folder as model_folder
from semblance.models.compute import Compute, device_name, set_up
from semblance.models.encoder import Encoder
from semblance.models.saved import WEIGHTS, SavedModel
from semblance.names import FAQ_DEV, SCORE_COLUMNS, STEPS, STS_DEV, TRAINING
from semblance.provenance import (
    canonical,
    checked,
    environment,
    outputs_digest,
    read_sealed,
    record_digest,
    text_digest,
    write_record,
)
from semblance.settings import StsProtocol, decode_as

LIBRARIES_THAT_COUNT = ("python", "machine", "torch", "numpy", "tokenizers")


@dataclass(frozen=True)
class StsRun:
    """Which model is evaluated on STS; φ of an entropy model."""

    corpus: str
    base: str
    method: str
    seed: str
    phi: str = ""


@dataclass(frozen=True)
class FaqRun:
    """Which model is evaluated on which fold of a bank, under which protocols; φ as in StsRun."""

    corpus: str
    base: str
    method: str
    seed: str
    bank: str
    fold: int
    protocols: tuple[str, ...]
    phi: str = ""


@dataclass(frozen=True)
class Target:
    """What an evaluation writes and how: its record, the machine's settings, the code's digest."""

    record: Path
    compute: Compute
    code: str


def evaluate_sts(run: StsRun, model: str, test: str, dev: str, target: Target) -> None:
    """Write the STS scores of the model with record ``model``: of the test sets and of STS-B dev.

    ``test`` and ``dev`` are the records of the prepared pairs. Each score names the protocol of
    its pairs.
    """
    started = time.monotonic()
    test_record = checked(test)
    dev_record = checked(dev)
    of_test = {"fold": "", "protocol": _protocol(test)}
    of_dev = {"fold": "", "protocol": _protocol(dev), "data": outputs_digest(dev_record)}
    saved = SavedModel.read(model)
    encoder, facts = _open(saved, target)
    facts["data"] = outputs_digest(test_record)
    pairs = similarity.join_pairs(read_pairs(Path(dev).parent), read_pairs(Path(test).parent))
    sentences = similarity.Sts(pairs, saved.tokenizer)
    predictions, geometry = sentences.predict(encoder, saved.max_length)
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
    with exclusive(target.record.parent):
        _write(run, rows, predictions, target, facts)
        _write_record("evaluate_sts", run, target, read, started, _device(encoder))


def _protocol(record: str) -> StsProtocol:
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
    encoder, facts = _open(saved, target)
    facts["data"] = outputs_digest(bank_record)
    whole = read_bank(Path(bank).parent)
    test = [q for q in whole.questions if q.part == run.fold and q.protocol in run.protocols]
    held_out = _dev_questions(dev, whole)
    ranking = retrieval.Retrieval(whole.answers, test, held_out, saved.tokenizer)
    predictions = ranking.predict(encoder, max_length)
    rows = list(retrieval.score_rows(predictions))
    for row in rows:
        row |= {"fold": str(run.fold), "task": run.bank}
        if row["protocol"] == FAQ_DEV:
            row["data"] = outputs_digest(dev_record)
    read = {"weights": saved.record, "data": bank_record, "dev": dev_record}
    with exclusive(target.record.parent):
        _write(run, rows, predictions, target, facts)
        _write_record("evaluate_faq", run, target, read, started, _device(encoder))


def _dev_questions(record: str, whole: Bank) -> list[Question]:
    """Return the dev questions of a fold, under the protocol that stands for them."""
    bank = read_bank(Path(record).parent)
    if bank.answers != whole.answers:
        problem = "its answers are not those of the bank"
        raise InputError(record, problem, "delete both records and prepare the bank again")
    return [replace(question, protocol=FAQ_DEV) for question in bank.questions]


def _open(model: SavedModel, target: Target) -> tuple[Encoder, dict]:
    """Load a model for evaluation; return it and the facts that stand beside each of its scores."""
    compute = target.compute
    record = model.record
    device = set_up(compute.threads, compute.gpus, compute.matmul)
    encoder = model_folder.load(model.folder).eval().to(device)
    encoder.precision = compute.precision
    name = device_name(device)
    settings = record.get("settings", {})
    regulators = record.get("regulator_precision", {})
    made = {
        "device": _kind(record.get("device", name)),
        "matmul": settings.get("matmul", "highest"),
        "versions": _versions(record["environment"]),
    }
    # Named only where it differs: a table holds models with and without regulators.
    if regulators.get("matmul", made["matmul"]) != made["matmul"]:
        made["regulated"] = regulators["matmul"]
    evaluated = {
        "device": _kind(name),
        "matmul": compute.matmul,
        "versions": _versions(environment()),
    }
    environments = {"evaluated": evaluated, "made": made}
    precision = _precision(
        compute.precision, settings.get("precision"), regulators.get("precision")
    )
    return encoder, {
        "precision": precision,
        "code": target.code,
        "environment": text_digest(canonical(environments))[:16],
        "weights": model.weights_digest,
    }


def _precision(evaluated: str, trained: str | None, regulators: str | None) -> str:
    """Return the precision of a score, and those of training and regulators where they differ."""
    others = {"trained": trained, "regulators": regulators}
    parts = ", ".join(
        f"{what} in {other}" for what, other in others.items() if other not in (None, evaluated)
    )
    return f"{evaluated} ({parts})" if parts else evaluated


def _kind(device: str) -> str:
    return device.partition(",")[0]  # of a CPU without the number of threads


def _versions(found: dict[str, str]) -> dict[str, str]:
    return {k: v for k, v in found.items() if k in LIBRARIES_THAT_COUNT}


def _write(
    run: StsRun | FaqRun, rows: list[dict], predictions: dict, target: Target, facts: dict
) -> None:
    """Write the scores and the predictions beside the record."""
    folder = target.record.parent
    identity = _identity(run) | {"phi": run.phi}
    text = io.StringIO()
    writer = csv.DictWriter(text, SCORE_COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({**identity, **facts, **row, "value": repr(row["value"])})
    similarity.write_predictions(folder / "predictions.parquet", predictions)
    write_text(folder / "scores.csv", text.getvalue())


def _device(encoder: Encoder) -> str:
    return device_name(encoder.words.weight.device.type)


def _write_record(
    stage: str,
    run: StsRun | FaqRun,
    target: Target,
    read: dict[str, dict],
    started: float,
    device: str,
) -> None:
    """Write the record of an evaluation; ``read`` are the records of its model and of its data."""
    inputs = {name: outputs_digest(record) for name, record in read.items()}
    inputs["weights"] = read["weights"]["outputs"][WEIGHTS]
    write_record(
        target.record,
        stage,
        outputs=["scores.csv", "predictions.parquet"],
        started=started,
        code=target.code,
        inputs=inputs,
        records={name: record_digest(record) for name, record in read.items()},
        run=_identity(run),
        settings=asdict(target.compute),
        device=device,
    )


def _identity(run: StsRun | FaqRun) -> dict[str, str]:
    name = f"{run.corpus}/{run.base}/{run.method}/seed-{run.seed}"
    parts = {key: getattr(run, key) for key in ("corpus", "base", "method", "seed")}
    return {"run": name, **parts}
