"""FAQ retrieval: every answer of the bank is ranked for each query, under two protocols."""

from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Sequence

import numpy as np

from semblance.data.corpus import read_parquet
from semblance.errors import InputError
from semblance.evaluation.metrics import accuracy_at, average_precision, relevant_ranks
from semblance.evaluation.texts import Texts, Vectors
from semblance.models.encoder import Encoder
from semblance.models.vectors import collapsed, unit

CUTOFFS = (1, 3, 5)
METRICS = (*(f"acc@{k}" for k in CUTOFFS), "map")


@dataclass(frozen=True)
class Question:
    """A query with the candidate numbers of its relevant answers."""

    protocol: str
    id: str
    text: str
    part: int
    relevant: tuple[int, ...]


@dataclass(frozen=True)
class Bank:
    """A FAQ bank as prepared: the distinct answers, and the questions of both protocols."""

    answers: tuple[str, ...]
    questions: tuple[Question, ...]


def read_bank(folder: str | Path) -> Bank:
    """Read ``answers.parquet`` and ``questions.parquet``."""
    answers = read_parquet(Path(folder, "answers.parquet"), ("text",))["text"].to_pylist()
    questions = read_parquet(
        Path(folder, "questions.parquet"), ("protocol", "id", "text", "part", "relevant")
    ).to_pylist()
    return Bank(
        tuple(answers),
        tuple(
            Question(q["protocol"], q["id"], q["text"], q["part"], tuple(q["relevant"]))
            for q in questions
        ),
    )


class Retrieval:
    """Some questions of a bank against all its answers, tokenised for one tokenizer."""

    def __init__(self, bank: Bank, questions: Sequence[Question], tokenizer_file: str | Path):
        self.answers, self.questions = list(bank.answers), list(questions)
        self.texts = Texts([*self.answers, *(q.text for q in self.questions)], tokenizer_file)

    def predict(self, encoder: Encoder, max_length: int) -> dict[str, list]:
        """Return per-query columns: protocol, query, ranks, acc@k, ap."""
        return self._rank(self.texts.encode(encoder, max_length))

    def _rank(self, vectors: Vectors) -> dict[str, list]:
        answers = unit(vectors.of(self.answers))  # (A, d)
        queries = unit(vectors.of([q.text for q in self.questions]))  # (Q, d)
        if not (np.isfinite(answers).all() and np.isfinite(queries).all()):
            raise InputError(
                "model", "gives a zero vector, whose cosine is undefined", "train it again"
            )
        found = [
            relevant_ranks(answers @ query, np.asarray(q.relevant))
            for q, query in zip(self.questions, queries)
        ]
        columns = {
            "protocol": [q.protocol for q in self.questions],
            "query": [q.id for q in self.questions],
            "ranks": [r.tolist() for r in found],
        }
        columns |= {f"acc@{k}": [accuracy_at(r, k) for r in found] for k in CUTOFFS}
        return columns | {"ap": [average_precision(r) for r in found]}

    def dev_score(self, encoder: Encoder, max_length: int) -> float:
        """Return the MAP over the questions; NaN if the embeddings have collapsed."""
        vectors = self.texts.encode(encoder, max_length)
        return (
            float("nan") if collapsed(vectors.matrix) else float(np.mean(self._rank(vectors)["ap"]))
        )


def score_rows(predictions: dict[str, list]) -> Iterator[dict]:
    """Yield protocol, metric, aggregation, value, n for each protocol of the predictions."""
    protocols = np.asarray(predictions["protocol"])
    for protocol in dict.fromkeys(protocols.tolist()):
        inside = protocols == protocol
        for metric in METRICS:
            values = np.asarray(predictions["ap" if metric == "map" else metric])[inside]
            yield {
                "protocol": protocol,
                "metric": metric,
                "aggregation": "test",
                "subset": "",
                "value": float(values.mean()),
                "n": int(inside.sum()),
            }
