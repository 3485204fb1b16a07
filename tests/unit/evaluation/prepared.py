"""What the tests of evaluations share: small prepared data, the demo's, and scores as they are read."""

import csv
from pathlib import Path

import pyarrow as pa

from semblance.data.arrow import write_parquet
from semblance.evaluation.scored import Target
from semblance.provenance import ROOT, write_record
from tests.example_settings import COMPUTE
from tests.scripts.flags import flags


def prepare(script, settings: dict, record: Path) -> None:
    """Run a prepare script on the demo's data."""
    demo = {"manifest": ROOT / "demo/manifest.yaml", "data": ROOT / "demo/data"}
    script.main(flags(settings=settings, output=record, **demo))


def write_pairs(folder: Path, left: list, right: list, gold: list, task: str = "stsb-dev") -> str:
    """Write scored pairs and their record; return its path."""
    count = len(gold)
    columns = {"task": [task] * count, "subset": [""] * count, "index": range(1, count + 1)}
    columns |= {"sentence1": left, "sentence2": right, "score": gold}
    write_parquet(pa.table(columns), folder / "pairs.parquet")
    record = folder / "record.json"
    settings = {"protocol": "senteval"}
    write_record(record, "prepare_dev", outputs=["pairs.parquet"], started=0.0, settings=settings)
    return str(record)


def write_bank(folder: Path, answers: list[str], questions: list[tuple]) -> str:
    """Write a bank in three parts, or the dev questions of a fold, and its record; return its path.

    A question is its text, its part and the numbers of its relevant answers. Each is also a candidate
    for the first of these.
    """
    texts = [(i, "answer", text, -1) for i, text in enumerate(answers)]
    texts += [(relevant[0], "wording", text, part) for text, part, relevant in questions]
    asked = [("pairs", str(i), text, str(i), *rest) for i, (text, *rest) in enumerate(questions)]
    tables = {  # a name -> its columns and its rows
        "answers": (("text",), [(text,) for text in answers]),
        "questions": (("protocol", "id", "text", "group", "part", "relevant"), asked),
        "candidates": (("answer", "kind", "text", "part"), texts),
    }
    for name, (columns, rows) in tables.items():
        table = pa.Table.from_pylist([dict(zip(columns, row, strict=True)) for row in rows])
        write_parquet(table, folder / f"{name}.parquet")
    record = folder / "record.json"
    files = [f"{name}.parquet" for name in tables]
    write_record(record, "prepare_faq", outputs=files, started=0.0, folds=3)
    return str(record)


def records(folder: Path, *names: str) -> list[str]:
    """Return the paths of the records in some folders."""
    return [str(folder / name / "record.json") for name in names]


def target(folder: Path) -> Target:
    """Return what an evaluation writes into a folder."""
    return Target(folder / "record.json", COMPUTE, "0123")


def lines(folder: Path) -> list[dict[str, str]]:
    """Return the lines of the scores in a folder."""
    with open(folder / "scores.csv", newline="") as stream:
        return list(csv.DictReader(stream))
