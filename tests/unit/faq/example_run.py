"""A finished run on wordings of users: a bank, evaluations of its folds, and the answerer."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import torch

from semblance.data.arrow import write_parquet
from semblance.models.saved import SavedModel
from semblance.provenance import write_record
from semblance.settings import decode
from semblance_faq.answer.bank import FaqEntry
from semblance_faq.judge.building import AnswererSettings, Sources, build_answerer

ENTRIES = (
    FaqEntry("reset", "How do I reset my password?", "Open Settings.", ("forgot it",)),
    FaqEntry("ship", "When does it ship?", "Within two days.", ()),
)
STATED = {
    "name": "faq",
    "bank": "faq",
    "base": "tiny",
    "folds": 3,
    "seeds": [1],
    "protocol": "wording",
    "precision": 0.9,
    "max_length": 32,
    "threads": torch.get_num_threads(),
    "models": ["start"],
    "ways": [{"method": "start", "seeds": [0], "ranking": {}}],
}


def write_run(
    output: Path, model: SavedModel, asked: Mapping[str, float], known: Sequence[str] = ()
) -> Path:
    """Write a run whose folds asked these wordings; return the answerer's folder.

    ``asked`` maps each wording to its average precision. The first entry answers all of them. It has
    the wordings ``known``, too.
    """
    questions = [
        {
            "protocol": "wording",
            "id": f"q{number}",
            "text": text,
            "part": number % 3,
            "group": text,
            "relevant": [0],
        }
        for number, text in enumerate(asked)
    ]
    _write_bank(output / "faq/faq", questions, known)
    records = []
    for fold in range(3):
        own = [question for question in questions if question["part"] == fold]
        folder = output / f"scores/faq/faq-{fold}/tiny/start/seed-0"
        records.append(_write_evaluation(folder, fold, own, asked))
    sources = Sources(
        str(output / "faq/faq/record.json"), (str(model.record_path),), tuple(records)
    )
    record = output / "answerers/faq/record.json"
    build_answerer(decode(AnswererSettings, STATED), sources, record, 0, "")
    return record.parent


def _write_bank(folder: Path, questions: list[dict], known: Sequence[str]) -> None:
    folder.mkdir(parents=True)
    rows = [{**vars(entry), "wordings": list(entry.wordings)} for entry in ENTRIES]
    rows[0]["wordings"] += known
    write_parquet(pa.Table.from_pylist(rows), folder / "entries.parquet")
    write_parquet(
        pa.table({"text": [entry.answer for entry in ENTRIES]}), folder / "answers.parquet"
    )
    write_parquet(pa.Table.from_pylist(questions), folder / "questions.parquet")
    outputs = ["entries.parquet", "questions.parquet"]
    write_record(folder / "record.json", "prepare_faq", outputs=outputs, started=0.0)


def _write_evaluation(
    folder: Path, fold: int, questions: list[dict], asked: Mapping[str, float]
) -> str:
    folder.mkdir(parents=True)
    precision = [asked[question["text"]] for question in questions]
    columns = {
        "protocol": ["wording"] * len(questions) + ["dev"],
        "query": [*(question["id"] for question in questions), "on dev"],
        "ap": [*precision, 0.0],
        "acc@1": [*(float(each == 1) for each in precision), 0.0],
        "confidence": [0.9] * (len(questions) + 1),
        "without": [0.3] * (len(questions) + 1),
    }
    write_parquet(pa.table(columns), folder / "predictions.parquet")
    with open(folder / "scores.csv", "w", newline="") as stream:
        csv.writer(stream).writerows([["protocol", "metric", "value"], ["dev", "map", "0.5"]])
    run = {"corpus": f"faq-{fold}", "base": "tiny", "method": "start", "seed": "0"}
    outputs = ["scores.csv", "predictions.parquet"]
    write_record(folder / "record.json", "evaluate_faq", outputs=outputs, started=0.0, run=run)
    return str(folder / "record.json")
