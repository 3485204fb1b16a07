"""Prepared dev and test data: scored sentence pairs, and the questions and answers of a FAQ bank."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from semblance.data.arrow import read_parquet

PAIRS = "pairs.parquet"
ANSWERS = "answers.parquet"
QUESTIONS = "questions.parquet"
Columns = dict[str, np.ndarray]


@dataclass(frozen=True)
class BankQuestion:
    """A query with the candidate numbers of its relevant answers; those of one group are alike."""

    protocol: str
    id: str
    text: str
    group: str
    part: int
    relevant: tuple[int, ...]


@dataclass(frozen=True)
class Bank:
    """A FAQ bank as prepared: the distinct answers, and questions of one or both protocols."""

    answers: tuple[str, ...]
    questions: tuple[BankQuestion, ...]


def read_columns(path: Path, names: Sequence[str]) -> Columns:
    """Return some columns of a prepared file."""
    table = read_parquet(path, names)
    return {name: np.asarray(table[name].to_pylist()) for name in names}


def read_pairs(folder: str | Path) -> Columns:
    """Return the prepared pairs as columns: task, subset, index, sentence1, sentence2, score."""
    names = ("task", "subset", "index", "sentence1", "sentence2", "score")
    return read_columns(Path(folder, PAIRS), names)


def read_bank(folder: str | Path) -> Bank:
    """Read the answers and questions of a bank, or of the dev part of one fold."""
    answers = read_parquet(Path(folder, ANSWERS), ("text",))["text"].to_pylist()
    columns = ("protocol", "id", "text", "group", "part", "relevant")
    questions = []
    for row in read_parquet(Path(folder, QUESTIONS), columns).to_pylist():
        relevant = tuple(row.pop("relevant"))
        questions.append(BankQuestion(**row, relevant=relevant))
    return Bank(tuple(answers), tuple(questions))
