"""One model's evaluation from files to files: scores in the long form, per-item predictions, record."""

import csv
import io
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Iterable

from semblance.evaluation import retrieval, similarity
from semblance.files import write_text
from semblance.locks import alone
from semblance.models import folder as model_folder
from semblance.models.encoder import Compute, Encoder, device_name, set_up
from semblance.provenance import canonical, checked, environment, text_digest, write_record

COLUMNS = (
    "run",
    "corpus",
    "base",
    "method",
    "seed",
    "fold",
    "task",
    "subset",
    "metric",
    "aggregation",
    "protocol",
    "value",
    "n",
    "precision",
    "code",
    "environment",
    "weights",
    "data",
)
LIBRARIES_THAT_COUNT = ("python", "machine", "torch", "numpy", "tokenizers")


@dataclass(frozen=True)
class StsRun:
    """Which model is evaluated on STS, and on which release of the texts."""

    corpus: str
    base: str
    method: str
    seed: str
    protocol: str


@dataclass(frozen=True)
class FaqRun:
    """Which model is evaluated on which fold of a bank, under which protocols."""

    corpus: str
    base: str
    method: str
    seed: str
    bank: str
    fold: int
    protocols: tuple[str, ...]


def evaluate_sts(
    run: StsRun, model: str, pairs: str, output: Path, compute: Compute, code: str
) -> None:
    """Write the STS scores of the model with record ``model`` beside ``output``, the record.

    ``pairs`` is the record of the test sets.
    """
    started = time.monotonic()
    data, encoder, facts = checked(pairs), *_open(model, compute, code)
    tasks = (*similarity.TASKS, similarity.DEV)
    tests = similarity.Sts(
        similarity.read_pairs(Path(pairs).parent / "pairs.parquet"), _tokenizer(model), tasks
    )
    predictions, geometry = tests.predict(
        encoder, model_folder.stored_length(Path(model).parent / "model")
    )
    rows = [
        {"fold": "", "protocol": run.protocol, **row} for row in similarity.score_rows(predictions)
    ]
    rows += [
        {
            "fold": "",
            "protocol": run.protocol,
            "task": "stsb",
            "subset": "",
            "metric": name,
            "aggregation": "all",
            "value": value,
            "n": int((predictions["task"] == "stsb").sum()),
        }
        for name, value in geometry.items()
    ]
    facts |= {"data": text_digest(canonical(data["outputs"]))}
    _write(run, rows, predictions, output, facts, started, "evaluate_sts", compute)


def evaluate_faq(
    run: FaqRun, model: str, bank: str, output: Path, max_length: int, compute: Compute, code: str
) -> None:
    """Write the retrieval scores of one fold of a bank; ``bank`` is its record."""
    started = time.monotonic()
    data, encoder, facts = checked(bank), *_open(model, compute, code)
    whole = retrieval.read_bank(Path(bank).parent)
    chosen = [q for q in whole.questions if q.part == run.fold and q.protocol in run.protocols]
    predictions = retrieval.Retrieval(whole, chosen, _tokenizer(model)).predict(encoder, max_length)
    rows = [
        {"fold": str(run.fold), "task": run.bank, **row}
        for row in retrieval.score_rows(predictions)
    ]
    facts |= {"data": text_digest(canonical(data["outputs"]))}
    _write(run, rows, predictions, output, facts, started, "evaluate_faq", compute)


def _open(model: str, compute: Compute, code: str) -> tuple[Encoder, dict]:
    """Load a model for evaluation; return it and the facts that stand beside each of its scores."""
    record, device = checked(model), set_up(compute.threads, compute.gpus, compute.matmul)
    encoder = model_folder.load(Path(model).parent / "model").eval().to(device)
    encoder.precision = compute.precision
    settings, regulated, name = (
        record.get("settings", {}),
        record.get("regulated", {}),
        device_name(device),
    )
    made = {
        "device": _kind(record.get("device", name)),
        "matmul": settings.get("matmul", "highest"),
        "versions": _versions(record["environment"]),
    }
    if (
        regulated.get("matmul", made["matmul"]) != made["matmul"]
    ):  # else a model without regulators is of the same making
        made["regulated"] = regulated["matmul"]
    evaluated = {
        "device": _kind(name),
        "matmul": compute.matmul,
        "versions": _versions(environment()),
    }
    environments = {"evaluated": evaluated, "made": made}
    precision = _precision(compute.precision, settings.get("precision"), regulated.get("precision"))
    return encoder, {
        "precision": precision,
        "code": code,
        "environment": text_digest(canonical(environments))[:16],
        "weights": record["outputs"]["model/model.safetensors"],
    }


def _precision(evaluated: str, trained: str | None, regulated: str | None) -> str:
    """Name the precision that a score was computed in, and those of the training and its regulators where they differ."""
    others = {"trained": trained, "regulators": regulated}
    told = ", ".join(
        f"{what} in {other}" for what, other in others.items() if other not in (None, evaluated)
    )
    return f"{evaluated} ({told})" if told else evaluated


def _kind(device: str) -> str:
    return device.partition(",")[0]  # of a CPU without the number of threads


def _versions(found: dict[str, str]) -> dict[str, str]:
    return {k: v for k, v in found.items() if k in LIBRARIES_THAT_COUNT}


def _tokenizer(model: str) -> Path:
    return Path(model).parent / "model" / "tokenizer.json"


def _write(
    run: StsRun | FaqRun,
    rows: Iterable[dict],
    predictions: dict,
    output: Path,
    facts: dict,
    started: float,
    stage: str,
    compute: Compute,
) -> None:
    output.parent.mkdir(parents=True, exist_ok=True)
    identity = {
        "run": f"{run.corpus}/{run.base}/{run.method}/seed-{run.seed}",
        **{name: getattr(run, name) for name in ("corpus", "base", "method", "seed")},
    }
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows({**identity, **facts, **row, "value": repr(row["value"])} for row in rows)
    with alone(output.parent):
        similarity.write_predictions(output.parent / "predictions.parquet", predictions)
        write_text(output.parent / "scores.csv", text.getvalue())
        write_record(
            output,
            stage,
            outputs=["scores.csv", "predictions.parquet"],
            started=started,
            code=facts["code"],
            inputs={"weights": facts["weights"], "data": facts["data"]},
            run=identity,
            settings=asdict(compute),
        )
