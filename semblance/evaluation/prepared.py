"""Prepared dev and test data: scored sentence pairs, and the questions and answers of a FAQ bank."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from semblance.data.arrow import read_parquet

PAIRS = "pairs.parquet"
ANSWERS = "answers.parquet"
QUESTIONS = "questions.parquet"
CANDIDATES = "candidates.parquet"


@dataclass(frozen=True)
class Question:
    """A query with the candidate numbers of its relevant answers."""

    protocol: str
    id: str
    text: str
    part: int
    relevant: tuple[int, ...]


@dataclass(frozen=True)
class Candidate:
    """A text that stands for the answer of a number; its part is -1 where no fold holds it out."""

    answer: int
    kind: str
    text: str
    part: int


@dataclass(frozen=True)
class Bank:
    """A FAQ bank as prepared: the distinct answers, and questions of one or both protocols."""

    answers: tuple[str, ...]
    questions: tuple[Question, ...]


def read_pairs(folder: str | Path) -> dict[str, np.ndarray]:
    """Return the prepared pairs as columns: task, subset, index, sentence1, sentence2, score."""
    columns = ("task", "subset", "index", "sentence1", "sentence2", "score")
    table = read_parquet(Path(folder, PAIRS), columns)
    return {name: np.asarray(table[name].to_pylist()) for name in table.column_names}


def read_bank(folder: str | Path) -> Bank:
    """Read the answers and questions of a bank, or of the dev part of one fold."""
    answers = read_parquet(Path(folder, ANSWERS), ("text",))["text"].to_pylist()
    columns = ("protocol", "id", "text", "part", "relevant")
    questions = []
    for row in read_parquet(Path(folder, QUESTIONS), columns).to_pylist():
        relevant = tuple(row.pop("relevant"))
        questions.append(Question(**row, relevant=relevant))
    return Bank(tuple(answers), tuple(questions))


def read_candidates(folder: str | Path) -> list[Candidate]:
    """Read the texts that stand for the answers of a whole bank."""
    columns = ("answer", "kind", "text", "part")
    rows = read_parquet(Path(folder, CANDIDATES), columns).to_pylist()
    return [Candidate(**row) for row in rows]
