"""One model's evaluation from files to files: scores in the long form, per-item predictions, record."""

import csv
import io
import time
from pathlib import Path
from typing import Iterable

import torch

from semblance.evaluation import retrieval, similarity
from semblance.models import folder as model_folder
from semblance.models.encoder import Encoder, device_for
from semblance.provenance import canonical, checked, environment, text_digest, write_record, write_text

COLUMNS = ("run", "corpus", "base", "method", "seed", "fold", "task", "subset", "metric", "aggregation", "protocol",
           "value", "n", "precision", "code", "environment", "weights", "data")
LIBRARIES_THAT_COUNT = ("python", "machine", "torch", "numpy", "tokenizers")


def evaluate_sts(run: dict, model: str, pairs: str, output: Path, threads: int, gpus: int, code: str) -> None:
    """Write the STS scores of the model with record ``model`` beside ``output``, the record.

    ``run`` holds corpus, base, method, seed and protocol; ``pairs`` is the record of the test sets.
    """
    started = time.time()
    data, encoder, facts = checked(pairs), *_open(model, threads, gpus, code)
    tasks = (*similarity.TASKS, similarity.DEV)
    tests = similarity.Sts(similarity.read_pairs(Path(pairs).parent / "pairs.parquet"), _tokenizer(model), tasks)
    predictions, geometry = tests.predict(encoder, model_folder.stored_length(Path(model).parent / "model"))
    protocol = run.pop("protocol")
    rows = [{"fold": "", "protocol": protocol, **row} for row in similarity.score_rows(predictions)]
    rows += [{"fold": "", "protocol": protocol, "task": "stsb", "subset": "", "metric": name, "aggregation": "all",
              "value": value, "n": int((predictions["task"] == "stsb").sum())} for name, value in geometry.items()]
    _write(run, rows, predictions, output, facts | {"data": text_digest(canonical(data["outputs"]))}, started, "evaluate_sts")


def evaluate_faq(run: dict, model: str, bank: str, output: Path, max_length: int, threads: int, gpus: int, code: str) -> None:
    """Write the retrieval scores of one fold; ``run`` adds bank, fold and protocols."""
    started = time.time()
    data, encoder, facts = checked(bank), *_open(model, threads, gpus, code)
    name, fold, protocols = run.pop("bank"), run.pop("fold"), run.pop("protocols")
    whole = retrieval.read_bank(Path(bank).parent)
    chosen = [q for q in whole.questions if q.part == fold and q.protocol in protocols]
    predictions = retrieval.Retrieval(whole, chosen, _tokenizer(model)).predict(encoder, max_length)
    rows = [{"fold": str(fold), "task": name, **row} for row in retrieval.score_rows(predictions)]
    _write(run, rows, predictions, output, facts | {"data": text_digest(canonical(data["outputs"]))}, started, "evaluate_faq")


def _open(model: str, threads: int, gpus: int, code: str) -> tuple[Encoder, dict]:
    """Load a model for evaluation; return it and the facts that stand beside each of its scores."""
    torch.set_num_threads(threads)
    record, device = checked(model), device_for(gpus)
    encoder = model_folder.load(Path(model).parent / "model").eval().to(device)
    settings = record.get("settings", {})
    made = {"device": record.get("device", device).partition(",")[0], "matmul": settings.get("matmul", "highest"),
            "versions": _versions(record["environment"])}
    environments = {"evaluated": {"device": device, "versions": _versions(environment())}, "made": made}
    return encoder, {"precision": settings.get("precision", "fp32"), "code": code,
                     "environment": text_digest(canonical(environments))[:16],
                     "weights": record["outputs"]["model/model.safetensors"]}


def _versions(found: dict[str, str]) -> dict[str, str]:
    return {k: v for k, v in found.items() if k in LIBRARIES_THAT_COUNT}


def _tokenizer(model: str) -> Path:
    return Path(model).parent / "model" / "tokenizer.json"


def _write(run: dict, rows: Iterable[dict], predictions: dict, output: Path, facts: dict, started: float, stage: str) -> None:
    output.parent.mkdir(parents=True, exist_ok=True)
    identity = {"run": f"{run['corpus']}/{run['base']}/{run['method']}/seed-{run['seed']}", **run}
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows({**identity, **facts, **row, "value": repr(row["value"])} for row in rows)
    similarity.write_predictions(output.parent / "predictions.parquet", predictions)
    write_text(output.parent / "scores.csv", text.getvalue())
    write_record(output, stage, outputs=["scores.csv", "predictions.parquet"], started=started, code=facts["code"],
                 inputs={"weights": facts["weights"], "data": facts["data"]}, run=identity)
