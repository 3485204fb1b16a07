"""FAQ retrieval: every answer of the bank is ranked for each query, under each protocol."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from semblance.evaluation.metrics import accuracy_at, average_precision, rank_relevant
from semblance.evaluation.prepared import Question
from semblance.evaluation.texts import Texts, Vectors
from semblance.models.encoder import Encoder
from semblance.names import FAQ_CUTOFFS, FAQ_DEV, FAQ_METRICS


class Retrieval:
    """Some questions of a bank against all its answers, tokenised for one tokenizer.

    Test and dev questions are embedded apart, so that the ones do not move the last digits of the
    others.
    """

    def __init__(
        self,
        answers: Sequence[str],
        test: Sequence[Question],
        dev: Sequence[Question],
        tokenizer_file: str | Path,
    ):
        self.answers = list(answers)
        self.test = list(test)
        self.dev = list(dev)
        self.test_texts = Texts([*self.answers, *(q.text for q in self.test)], tokenizer_file)
        self.dev_texts = Texts([q.text for q in self.dev], tokenizer_file)

    def predict(self, encoder: Encoder, max_length: int) -> dict[str, list]:
        """Return per-query columns: protocol, query, ranks, acc@k, ap; those of dev come last."""
        of_test = self.test_texts.encode(encoder, max_length)
        of_dev = self.dev_texts.encode(encoder, max_length)
        answers = of_test.of(self.answers)  # (A, d)
        test = rank_answers(answers, of_test, self.test)
        dev = rank_answers(answers, of_dev, self.dev)
        return {name: column + dev[name] for name, column in test.items()}


def rank_answers(
    answers: np.ndarray, vectors: Vectors, questions: Sequence[Question]
) -> dict[str, list]:
    """Return the per-query columns of some questions; ``answers`` are the vectors (A, d)."""
    queries = vectors.of([q.text for q in questions])  # (Q, d)
    ranks = list(rank_relevant(answers, queries, [q.relevant for q in questions]))
    columns = {
        "protocol": [q.protocol for q in questions],
        "query": [q.id for q in questions],
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
        part = FAQ_DEV if protocol == FAQ_DEV else "test"
        for metric in FAQ_METRICS:
            values = np.asarray(predictions["ap" if metric == "map" else metric])[inside]
            yield {
                "protocol": protocol,
                "metric": metric,
                "aggregation": part,
                "subset": "",
                "value": float(values.mean()),
                "n": int(inside.sum()),
            }
