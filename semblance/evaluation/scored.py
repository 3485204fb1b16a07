"""What all evaluations share: the model opened, its scores, predictions and record written."""

import csv
import io
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from semblance.data.arrow import write_parquet
from semblance.files import write_text
from semblance.locks import exclusive
from semblance.models import folder as model_folder
from semblance.models import word_average
from semblance.models.compute import Compute, device_name, set_up
from semblance.models.encoder import Encoder
from semblance.models.saved import WEIGHTS, SavedModel
from semblance.names import SCORE_COLUMNS, STEPS, TRAINING, UNMOVED
from semblance.provenance import (
    Record,
    canonical,
    checked,
    environment,
    outputs_digest,
    read_sealed,
    text_digest,
    write_record,
)
from semblance.settings import StsProtocol, decode

# An evaluation may name more of them: those that its scores depend on besides the vectors.
LIBRARIES_THAT_COUNT = ("python", "machine", "torch", "numpy", "tokenizers")


@dataclass(frozen=True)
class ModelRun:
    """Which model is evaluated; φ of an entropy model."""

    corpus: str
    base: str
    method: str
    seed: str
    phi: str = field(default="", kw_only=True)


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
    run: ModelRun
    rows: Iterable[dict]
    predictions: dict
    facts: dict
    read: dict[str, Record]
    device: str
    settings: dict[str, Any] = field(default_factory=dict)


def open_model(
    model: SavedModel, target: Target, libraries: tuple[str, ...] = ()
) -> tuple[Encoder | word_average.WordAverage, dict]:
    """Load a model for evaluation; return it and the facts that each of its scores names.

    ``libraries`` are those that the scores depend on besides LIBRARIES_THAT_COUNT.
    """
    compute = target.compute
    record = model.record
    device = set_up(compute.threads, compute.gpus, compute.matmul)
    loaded = word_average.load(model.folder) or model_folder.load(model.folder)
    encoder = loaded.eval().to(device)
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
    others = {"trained": settings.get("precision"), "regulators": regulators.get("precision")}
    differing = [f"{k} in {v}" for k, v in others.items() if v not in (None, compute.precision)]
    precision = compute.precision
    if differing:
        precision += f" ({', '.join(differing)})"
    return encoder, {
        "precision": precision,
        "code": target.code,
        "environment": text_digest(canonical(environments))[:16],
        "weights": model.weights_digest,
    }


def _kind(device: str) -> str:
    return device.partition(",")[0]  # of a CPU without the number of threads


def _versions(found: dict[str, str], more: tuple[str, ...] = ()) -> dict[str, str]:
    return {k: v for k, v in found.items() if k in (*LIBRARIES_THAT_COUNT, *more)}


def training_rows(model: SavedModel) -> Iterator[dict]:
    """Yield what the training of a model says: its steps, and how many teachers have not moved."""
    steps = model.record.get("training", {}).get("step")
    said = {STEPS: steps, UNMOVED: len(model.record.get("unmoved_regulators", []))}
    for metric, value in said.items():
        if value:
            row = {"task": TRAINING, "subset": "", "metric": metric, "aggregation": "all"}
            yield row | {"value": float(value), "n": 1}


def protocol_of(record: str) -> StsProtocol:
    """Return the protocol of prepared pairs, which their record names."""
    settings = read_sealed(record).get("settings", {})
    return decode(StsProtocol, settings.get("protocol"), f"{record}: settings.protocol")


def device_of(encoder: Encoder | word_average.WordAverage) -> str:
    """Return the name of what an encoder runs on."""
    return device_name(encoder.words.weight.device.type)


class ModelEvaluation:
    """The evaluation of one model: what it reads, checked, and the model, opened.

    ``data`` are the paths of the records of prepared data by name; ``data`` among them are the tests.
    """

    def __init__(
        self, model: str, data: dict[str, str], target: Target, libraries: tuple[str, ...] = ()
    ):
        self.started = time.monotonic()
        self.target = target
        self.read = {name: checked(path) for name, path in data.items()}
        self.model = SavedModel.read(model)
        self.encoder, self.facts = open_model(self.model, target, libraries)
        self.facts["data"] = outputs_digest(self.read["data"])
        self.read["weights"] = self.model.record

    def write(
        self, stage: str, run: ModelRun, rows: Iterable[dict], predictions: dict, **settings: Any
    ) -> None:
        """Write the scores, the predictions and the record; ``settings`` besides those of Compute."""
        device = device_of(self.encoder)
        scored = Scored(stage, run, rows, predictions, self.facts, self.read, device, settings)
        write_evaluation(scored, self.target, self.started)


def write_evaluation(found: Scored, target: Target, started: float) -> None:
    """Write scores and predictions beside the record, and the record; ``started`` is a clock's time."""
    run = found.run
    parts = {key: getattr(run, key) for key in ("corpus", "base", "method", "seed")}
    identity = {"run": f"{run.corpus}/{run.base}/{run.method}/seed-{run.seed}", **parts}
    text = io.StringIO()
    writer = csv.DictWriter(text, SCORE_COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in found.rows:
        score = {**identity, "phi": run.phi, **found.facts, **row}
        writer.writerow(score | {"value": repr(row["value"])})
    inputs = {name: outputs_digest(record) for name, record in found.read.items()}
    inputs["weights"] = found.read["weights"]["outputs"][WEIGHTS]
    folder = target.record.parent
    with exclusive(folder):
        write_parquet(pa.table(found.predictions), folder / "predictions.parquet")
        write_text(folder / "scores.csv", text.getvalue())
        write_record(
            target.record,
            found.stage,
            outputs=["scores.csv", "predictions.parquet"],
            started=started,
            code=target.code,
            inputs=inputs,
            records=found.read,
            run=identity,
            settings=asdict(target.compute) | found.settings,
            device=found.device,
        )
