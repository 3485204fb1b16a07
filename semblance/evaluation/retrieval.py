"""FAQ retrieval: every answer of the bank is ranked for each query, under each protocol."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from semblance.evaluation.metrics import (
    accuracy_at,
    average_precision,
    refuse_zero_vectors,
    relevant_ranks,
)
from semblance.evaluation.prepared import Question
from semblance.evaluation.ranking import By
from semblance.evaluation.texts import Texts
from semblance.models.encoder import Encoder
from semblance.models.prompts import NO_PROMPTS, Prompts
from semblance.models.vectors import unit
from semblance.names import FAQ_CUTOFFS, FAQ_DEV, FAQ_METRICS
from semblance.ranking.candidates import Candidates
from semblance.ranking.fusion import reciprocal_rank_fusion
from semblance.ranking.words import Words

KEPT = 100  # the best answers of each question, with their scores, in the predictions
Scores = Iterable[np.ndarray]  # of all answers (A,), for one question after another


class Retrieval:
    """Some questions of a bank against all its answers, tokenised for one tokenizer.

    Test and dev questions are embedded apart, so that the ones do not move the last digits of the
    others.
    """

    def __init__(
        self,
        candidates: Candidates,
        test: Sequence[Question],
        dev: Sequence[Question],
        tokenizer_file: str | Path,
        prompts: Prompts = NO_PROMPTS,
    ):
        self.candidates = candidates
        self.test = list(test)
        self.dev = list(dev)
        self.compared = prompts.of_faq(candidates.texts, candidates.questions)
        self.asked = prompts.queries(texts_of(test))
        self.asked_on_dev = prompts.queries(texts_of(dev))
        self.test_texts = Texts([*self.compared, *self.asked], tokenizer_file)
        self.dev_texts = Texts(self.asked_on_dev, tokenizer_file)

    def predict(self, encoder: Encoder, max_length: int, by: By = "vectors") -> dict[str, list]:
        """Return per-query columns: protocol, query, ranks, acc@k, ap, top; those of dev come last.

        ``top`` holds the numbers of the best answers, ``top_scores`` their scores. ``confidence`` is
        the cosine of the best answer, or its BM25 score where no vectors rank; ``without`` is that
        of the best answer that is not relevant, which would come first if these were not there.
        """
        test: list[Scores] = []
        dev: list[Scores] = []
        if by != "words":
            of_test = self.test_texts.encode(encoder, max_length)
            of_dev = self.dev_texts.encode(encoder, max_length)
            texts = of_test.of(self.compared)  # (T, d)
            test.append(by_vectors(self.candidates, texts, of_test.of(self.asked)))
            dev.append(by_vectors(self.candidates, texts, of_dev.of(self.asked_on_dev)))
        if by != "vectors":
            words = Words(self.candidates.texts)
            test.append(by_words(self.candidates, words, texts_of(self.test)))
            dev.append(by_words(self.candidates, words, texts_of(self.dev)))
        found = ranked(test, self.test)
        of_dev_questions = ranked(dev, self.dev)
        return {name: column + of_dev_questions[name] for name, column in found.items()}


def texts_of(questions: Iterable[Question]) -> list[str]:
    """Return the texts of some questions."""
    return [question.text for question in questions]


def by_vectors(candidates: Candidates, texts: np.ndarray, queries: np.ndarray) -> Scores:
    """Yield the cosine of each answer's best text with a query; vectors (T, d) and (Q, d)."""
    texts = unit(texts)
    queries = unit(queries)
    refuse_zero_vectors(texts, queries)
    for query in queries:
        yield candidates.best((texts @ query)[None])[0]


def by_words(candidates: Candidates, words: Words, queries: Sequence[str]) -> Scores:
    """Yield the BM25 score of each answer's best text for a query."""
    for query in queries:
        yield candidates.best(words.scores([query]))[0]


def fused(scores: Sequence[np.ndarray]) -> np.ndarray:
    """Return the scores of one ranking (A,), or of several fused by reciprocal ranks."""
    if len(scores) == 1:
        return scores[0]
    return reciprocal_rank_fusion(*(each[None] for each in scores))[0]


def ranked(rankings: Sequence[Scores], questions: Sequence[Question]) -> dict[str, list]:
    """Return the per-query columns of some questions, given the scores of one ranking or more."""
    columns: dict[str, list] = {
        "protocol": [q.protocol for q in questions],
        "query": [q.id for q in questions],
        "ranks": [],
        "top": [],
        "top_scores": [],
        "confidence": [],
        "without": [],
    }
    for *parts, question in zip(*rankings, questions, strict=True):
        scores = fused(parts)
        columns["ranks"].append(relevant_ranks(scores, np.asarray(question.relevant)).tolist())
        order = np.argsort(-scores, kind="stable")  # of equals the lower number first
        columns["top"].append(order[:KEPT].tolist())
        columns["top_scores"].append(scores[order[:KEPT]].tolist())
        columns["confidence"].append(float(parts[0][order[0]]))
        columns["without"].append(_without(parts[0], order, question))
    for k in FAQ_CUTOFFS:
        columns[f"acc@{k}"] = [accuracy_at(np.asarray(r), k) for r in columns["ranks"]]
    return columns | {"ap": [average_precision(np.asarray(r)) for r in columns["ranks"]]}


def _without(scores: np.ndarray, order: np.ndarray, question: Question) -> float:
    """Return the score of the best answer that is not relevant; NaN where all are."""
    others = order[~np.isin(order, question.relevant)]
    if len(others) == 0:
        return float("nan")
    return float(scores[others[0]])


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
