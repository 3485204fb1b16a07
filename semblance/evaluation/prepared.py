"""Prepared dev and test data: scored sentence pairs, and the questions and answers of a FAQ bank."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from semblance.data.arrow import read_parquet
from semblance.data.tokens import Tokens, tokenise
from semblance.errors import InputError
from semblance.models.encoder import Encoder

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


class Texts:
    """The distinct texts of an evaluation, tokenised once; models embed them any number of times."""

    def __init__(self, texts: Sequence[str], tokenizer_file: str | Path, prompt: str = ""):
        """``prompt`` stands before each text when the model reads it."""
        self.numbers = {text: i for i, text in enumerate(dict.fromkeys(texts))}
        self.tokens: Tokens = tokenise(tokenizer_file, [prompt + text for text in self.numbers])

    def numbers_of(self, texts: Sequence[str]) -> list[int]:
        """Return the number of each text; equal texts have one number."""
        return [self.numbers[text] for text in texts]

    def encode(self, encoder: Encoder, max_length: int) -> "Vectors":
        """Embed every distinct text; raises InputError where a vector is not finite."""
        vectors = encoder.encode(self.tokens, max_length)
        if not np.isfinite(vectors).all():
            raise InputError(
                "model", "gives embeddings that are not finite", "train it again, or in fp32"
            )
        return Vectors(vectors, self.numbers)


class Vectors(NamedTuple):
    """Vectors (n, d), and the number of each text among them."""

    matrix: np.ndarray
    numbers: dict[str, int]

    def of(self, texts: Sequence[str]) -> np.ndarray:
        """Return the vectors of ``texts``, (len(texts), d) float32."""
        return self.matrix[[self.numbers[t] for t in texts]]
