"""What all evaluations share: the model opened, its scores, predictions and record written."""

import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from semblance.data.arrow import write_parquet
from semblance.errors import InputError
from semblance.files import rows_csv, write_text
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
class Evaluation:
    """The evaluation of one model: what its scores and its record say of it.

    ``read`` are the records of the model (``weights``) and of the data by name, ``facts`` those that
    ``open_model`` returned and the digest of the data, ``device`` the name of what ran the model.
    """

    target: Target
    read: dict[str, Record]
    facts: dict
    device: str
    started: float = field(default_factory=time.monotonic)

    def write(
        self, stage: str, run: ModelRun, rows: Iterable[dict], predictions: dict, **settings: Any
    ) -> None:
        """Write scores and predictions beside the record, and then the record.

        ``settings`` are those besides the ones of Compute. Raises InputError for a score that is
        no number, as a correlation with equal gold scores is.
        """
        record = self.target.record
        parts = {key: getattr(run, key) for key in ("corpus", "base", "method", "seed")}
        identity = {"run": f"{run.corpus}/{run.base}/{run.method}/seed-{run.seed}", **parts}
        scores = [{**identity, "phi": run.phi, **self.facts, **row} for row in rows]
        for score in scores:
            if not math.isfinite(score["value"]):
                what = f"{score['metric']} of {score['task']} ({score['n']} items)"
                problem = f"{what} is {score['value']}"
                raise InputError(identity["run"], problem, "are all its gold scores equal?")
        inputs = {name: outputs_digest(read) for name, read in self.read.items()}
        inputs["weights"] = self.read["weights"]["outputs"][WEIGHTS]
        with exclusive(record.parent):
            write_parquet(pa.table(predictions), record.with_name("predictions.parquet"))
            write_text(record.with_name("scores.csv"), rows_csv(SCORE_COLUMNS, scores))
            write_record(
                record,
                stage,
                outputs=["scores.csv", "predictions.parquet"],
                started=self.started,
                code=self.target.code,
                inputs=inputs,
                records=self.read,
                run=identity,
                settings=asdict(self.target.compute) | settings,
                device=self.device,
            )


def open_evaluation(
    model: str, data: dict[str, str], target: Target, libraries: tuple[str, ...] = ()
) -> tuple[Evaluation, SavedModel, Encoder | word_average.WordAverage]:
    """Check what an evaluation reads, and open the model with record ``model``.

    ``data`` are the paths of the records of prepared data by name; ``data`` among them are the tests.
    """
    started = time.monotonic()
    read = {name: checked(path) for name, path in data.items()}
    saved = SavedModel.read(model)
    encoder, facts = open_model(saved, target, libraries)
    facts["data"] = outputs_digest(read["data"])
    read["weights"] = saved.record
    return Evaluation(target, read, facts, device_of(encoder), started), saved, encoder


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
        "matmul": settings.get("matmul", compute.matmul),
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
