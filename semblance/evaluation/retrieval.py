"""FAQ retrieval: every answer of the bank is ranked for each query, under two protocols."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from semblance.evaluation.metrics import accuracy_at, average_precision, rank_relevant
from semblance.evaluation.prepared import Bank, Question
from semblance.evaluation.texts import Texts, Vectors
from semblance.models.encoder import Encoder
from semblance.names import FAQ_CUTOFFS, FAQ_METRICS


class Retrieval:
    """Some questions of a bank against all its answers, tokenised for one tokenizer."""

    def __init__(self, bank: Bank, questions: Sequence[Question], tokenizer_file: str | Path):
        self.answers = list(bank.answers)
        self.questions = list(questions)
        self.texts = Texts([*self.answers, *(q.text for q in self.questions)], tokenizer_file)

    def predict(self, encoder: Encoder, max_length: int) -> dict[str, list]:
        """Return per-query columns: protocol, query, ranks, acc@k, ap."""
        return self._rank(self.texts.encode(encoder, max_length))

    def _rank(self, vectors: Vectors) -> dict[str, list]:
        answers = vectors.of(self.answers)  # (A, d)
        queries = vectors.of([q.text for q in self.questions])  # (Q, d)
        ranks = list(rank_relevant(answers, queries, [q.relevant for q in self.questions]))
        columns = {
            "protocol": [q.protocol for q in self.questions],
            "query": [q.id for q in self.questions],
            "ranks": [r.tolist() for r in ranks],
        }
        for k in FAQ_CUTOFFS:
            columns[f"acc@{k}"] = [accuracy_at(r, k) for r in ranks]
        return columns | {"ap": [average_precision(r) for r in ranks]}


def score_rows(predictions: dict[str, list]) -> Iterator[dict]:
    """Yield protocol, metric, aggregation, value, n for each protocol of the predictions."""
    protocols = np.asarray(predictions["protocol"])
    for protocol in dict.fromkeys(protocols.tolist()):
        inside = protocols == protocol
        for metric in FAQ_METRICS:
            values = np.asarray(predictions["ap" if metric == "map" else metric])[inside]
            yield {
                "protocol": protocol,
                "metric": metric,
                "aggregation": "test",
                "subset": "",
                "value": float(values.mean()),
                "n": int(inside.sum()),
            }
