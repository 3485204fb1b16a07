"""What all evaluations share: the model opened, its scores, predictions and record written."""

import csv
import io
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from semblance.data.arrow import write_parquet
from semblance.files import write_text
from semblance.locks import exclusive
from semblance.models import folder as model_folder
from semblance.models.compute import Compute, device_name, set_up
from semblance.models.encoder import Encoder
from semblance.models.saved import WEIGHTS, SavedModel
from semblance.models.word_average import WordAverage, is_word_average
from semblance.models.word_average import load as load_word_average
from semblance.names import SCORE_COLUMNS
from semblance.provenance import (
    Record,
    canonical,
    environment,
    outputs_digest,
    text_digest,
    write_record,
)

# An evaluation may name more of them: those that its scores depend on besides the vectors.
LIBRARIES_THAT_COUNT = ("python", "machine", "torch", "numpy", "tokenizers")


class Run(Protocol):
    """Which model is evaluated; φ of an entropy model."""

    corpus: str
    base: str
    method: str
    seed: str
    phi: str


@dataclass(frozen=True)
class Target:
    """What an evaluation writes and how: its record, the machine's settings, the code's digest."""

    record: Path
    compute: Compute
    code: str


@dataclass(frozen=True)
class Scored:
    """What one evaluation found.

    ``rows`` are its scores, ``predictions`` the columns of its predictions, ``facts`` those that
    ``open_model`` returned, ``read`` the records of the model (weights) and of the data by name, ``device``
    the name of what ran the model, ``settings`` those besides the ones of Compute.
    """

    stage: str
    run: Run
    rows: Iterable[dict]
    predictions: dict
    facts: dict
    read: dict[str, Record]
    device: str
    settings: dict[str, Any] = field(default_factory=dict)


def open_model(
    model: SavedModel, target: Target, libraries: tuple[str, ...] = ()
) -> tuple[Encoder | WordAverage, dict]:
    """Load a model for evaluation; return it and the facts that stand beside each of its scores.

    ``libraries`` are those that the scores depend on besides LIBRARIES_THAT_COUNT.
    """
    compute = target.compute
    record = model.record
    device = set_up(compute.threads, compute.gpus, compute.matmul)
    encoder = _load(model.folder).eval().to(device)
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
        "versions": _versions(environment(), libraries),
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


def _load(folder: Path) -> Encoder | WordAverage:
    """Load a model that a text can be embedded with."""
    if is_word_average(folder):
        return load_word_average(folder)
    return model_folder.load(folder)


def _precision(evaluated: str, trained: str | None, regulators: str | None) -> str:
    """Return the precision of a score, and those of training and regulators where they differ."""
    others = {"trained": trained, "regulators": regulators}
    parts = ", ".join(
        f"{what} in {other}" for what, other in others.items() if other not in (None, evaluated)
    )
    return f"{evaluated} ({parts})" if parts else evaluated


def _kind(device: str) -> str:
    return device.partition(",")[0]  # of a CPU without the number of threads


def _versions(found: dict[str, str], more: tuple[str, ...] = ()) -> dict[str, str]:
    return {k: v for k, v in found.items() if k in (*LIBRARIES_THAT_COUNT, *more)}


def device_of(encoder: Encoder | WordAverage) -> str:
    """Return the name of what an encoder runs on."""
    return device_name(encoder.words.weight.device.type)


def write_evaluation(found: Scored, target: Target, started: float) -> None:
    """Write scores and predictions beside the record, and the record; ``started`` is a clock's time."""
    with exclusive(target.record.parent):
        _write_files(found, target)
        _write_record(found, target, started)


def _write_files(found: Scored, target: Target) -> None:
    folder = target.record.parent
    identity = _identity(found.run) | {"phi": found.run.phi}
    text = io.StringIO()
    writer = csv.DictWriter(text, SCORE_COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in found.rows:
        writer.writerow({**identity, **found.facts, **row, "value": repr(row["value"])})
    write_parquet(pa.table(found.predictions), folder / "predictions.parquet")
    write_text(folder / "scores.csv", text.getvalue())


def _write_record(found: Scored, target: Target, started: float) -> None:
    inputs = {name: outputs_digest(record) for name, record in found.read.items()}
    inputs["weights"] = found.read["weights"]["outputs"][WEIGHTS]
    write_record(
        target.record,
        found.stage,
        outputs=["scores.csv", "predictions.parquet"],
        started=started,
        code=target.code,
        inputs=inputs,
        records=found.read,
        run=_identity(found.run),
        settings=asdict(target.compute) | found.settings,
        device=found.device,
    )


def _identity(run: Run) -> dict[str, str]:
    name = f"{run.corpus}/{run.base}/{run.method}/seed-{run.seed}"
    parts = {key: getattr(run, key) for key in ("corpus", "base", "method", "seed")}
    return {"run": name, **parts}
