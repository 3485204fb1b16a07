"""A finished run on wordings of users: a bank, evaluations of its folds, and the answerer."""

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


def write_run(output: Path, model: SavedModel, asked: Mapping[str, float]) -> Path:
    """Write a run whose folds asked these wordings; return the answerer's folder.

    ``asked`` maps each wording to its average precision. The first entry answers all of them.
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
    bank = write_bank(output / "faq/faq", ENTRIES, questions)
    records = []
    for fold in range(3):
        own = [question for question in questions if question["part"] == fold]
        precision = [asked[question["text"]] for question in own]
        columns = {
            "protocol": "wording",
            "ap": precision,
            "acc@1": [each == 1 for each in precision],
            "confidence": [0.9] * len(own),
            "without": [0.3] * len(own),
        }
        folder = output / f"scores/faq/faq-{fold}/tiny/start/seed-0"
        run = {"corpus": f"faq-{fold}", "method": "start"}
        records.append(write_evaluation(folder, run, [each["id"] for each in own], columns))
    sources = Sources(bank, (str(model.record_path),), tuple(records))
    record = output / "answerers/faq/record.json"
    build_answerer(decode(AnswererSettings, STATED), sources, record, 0, "")
    return record.parent


def write_bank(folder: Path, entries: Sequence[FaqEntry], questions: list[dict]) -> str:
    """Write a prepared bank; return its record."""
    folder.mkdir(parents=True)
    rows = [{**vars(entry), "wordings": list(entry.wordings)} for entry in entries]
    write_parquet(pa.Table.from_pylist(rows), folder / "entries.parquet")
    answers = [entry.answer for entry in entries]
    write_parquet(pa.table({"text": answers}), folder / "answers.parquet")
    write_parquet(pa.Table.from_pylist(questions), folder / "questions.parquet")
    outputs = ["entries.parquet", "questions.parquet"]
    write_record(folder / "record.json", "prepare_faq", outputs=outputs, started=0.0)
    return str(folder / "record.json")


def write_evaluation(folder: Path, run: dict, queries: Sequence[str], columns: dict) -> str:
    """Write the predictions of one evaluation; return its record.

    ``columns`` are those of the test questions; a dev question, which does not count, follows them.
    """
    folder.mkdir(parents=True)
    given = {"query": [*queries, "on dev"]}
    given["protocol"] = [columns.pop("protocol")] * len(queries) + ["dev"]
    given |= {name: [*map(float, values), 0.99] for name, values in columns.items()}
    write_parquet(pa.table(given), folder / "predictions.parquet")
    facts = {"outputs": ["predictions.parquet"], "started": 0.0}
    facts["run"] = {"base": "tiny", "seed": "0", **run}
    write_record(folder / "record.json", "evaluate_faq", **facts)
    return str(folder / "record.json")
