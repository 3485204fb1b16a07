"""FAQ retrieval: every answer of the bank is ranked for each query, under each protocol."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from pathlib import Path

import numpy as np

from semblance.data.arrow import read_parquet
from semblance.data.faq import dev_part
from semblance.errors import InputError
from semblance.evaluation.metrics import (
    accuracy_at,
    average_precision,
    refuse_zero_vectors,
    relevant_ranks,
)
from semblance.evaluation.prepared import BankQuestion, Texts, read_bank
from semblance.evaluation.scored import ModelRun, Target, open_evaluation, training_rows
from semblance.models.encoder import Encoder
from semblance.models.saved import SavedModel
from semblance.models.vectors import unit
from semblance.models.word_average import WordAverage
from semblance.names import CEILING, FAQ_CUTOFFS, FAQ_DEV, FAQ_METRICS
from semblance.provenance import outputs_digest
from semblance.ranking.candidates import (
    By,
    Candidate,
    Candidates,
    Ranking,
    fuse,
    known_candidates,
)
from semblance.ranking.words import Words

CANDIDATES = "candidates.parquet"
KEPT = 100  # the best answers of each question, with their scores, in the predictions
Scores = Iterable[np.ndarray]  # of all answers (A,), for one question after another


@dataclass(frozen=True)
class FaqRun(ModelRun):
    """Which model is evaluated on which fold of a bank, and how it ranks."""

    bank: str
    fold: int
    protocols: tuple[str, ...]
    ranking: Ranking = field(default_factory=Ranking)


def predict(
    saved: SavedModel,
    encoder: Encoder | WordAverage,
    candidates: Candidates,
    questions: Mapping[str, Sequence[BankQuestion]],
    max_length: int,
    by: By,
) -> dict[str, list]:
    """Return per-query columns: protocol, query, group, ranks, acc@k, ap, top; dev comes last.

    ``questions``: those of ``test`` and of ``dev``, each against all answers of the bank.
    ``top`` holds the numbers of the best answers, ``top_scores`` their scores. ``confidence`` is
    the score of the best answer; ``without`` is that of the best answer that is not relevant, which
    would come first if these were not there.
    """
    rankings: dict[str, list[Scores]] = {part: [] for part in ("test", "dev")}
    if by != "words":
        prompts = saved.prompts
        compared = prompts.of_faq(candidates.texts, candidates.questions)
        queries = {part: prompts.queries(texts_of(questions[part])) for part in rankings}
        # Apart, so that dev questions do not move the last digits of the others.
        read = {"test": [*compared, *queries["test"]], "dev": queries["dev"]}
        vectors = {
            part: Texts(texts, saved.tokenizer).encode(encoder, max_length)
            for part, texts in read.items()
        }
        texts = vectors["test"].of(compared)  # (T, d)
        for part, ranks in rankings.items():
            ranks.append(by_vectors(candidates, texts, vectors[part].of(queries[part])))
    if by != "vectors":
        words = Words(candidates.texts)
        for part, ranks in rankings.items():
            ranks.append(by_words(candidates, words, texts_of(questions[part])))
    test, dev = (ranked(rankings[part], questions[part]) for part in rankings)
    return {name: column + dev[name] for name, column in test.items()}


def texts_of(questions: Iterable[BankQuestion]) -> list[str]:
    """Return the texts of some questions."""
    return [question.text for question in questions]


def by_vectors(candidates: Candidates, texts: np.ndarray, queries: np.ndarray) -> Scores:
    """Yield the cosine of each answer's best text with a query; vectors (T, d) and (Q, d)."""
    texts = unit(texts)
    queries = unit(queries)
    refuse_zero_vectors(texts, queries)
    # Each distinct text once: a product may give equal rows other last bits by their places, and of
    # equal scores the lower number comes first.
    numbers: dict[str, int] = {}
    places = [numbers.setdefault(text, len(numbers)) for text in candidates.texts]
    distinct = texts[np.unique(places, return_index=True)[1]]
    for query in queries:
        yield candidates.best((distinct @ query)[None, places])[0]


def by_words(candidates: Candidates, words: Words, queries: Sequence[str]) -> Scores:
    """Yield the BM25 score of each answer's best text for a query."""
    for query in queries:
        yield candidates.best(words.scores([query]))[0]


def ranked(rankings: Sequence[Scores], questions: Sequence[BankQuestion]) -> dict[str, list]:
    """Return the per-query columns of some questions, given the scores of one ranking or more."""
    columns: dict[str, list] = {
        "protocol": [q.protocol for q in questions],
        "query": [q.id for q in questions],
        "group": [q.group for q in questions],
        "best": best_ranks(questions),
        "ranks": [],
        "top": [],
        "top_scores": [],
        "confidence": [],
        "without": [],
    }
    for *parts, question in zip(*rankings, questions, strict=True):
        scores = parts[0]
        if len(parts) > 1:
            scores = fuse(*(each[None] for each in parts))[0]
        columns["ranks"].append(relevant_ranks(scores, np.asarray(question.relevant)).tolist())
        order = np.argsort(-scores, kind="stable")  # of equals the lower number first
        columns["top"].append(order[:KEPT].tolist())
        columns["top_scores"].append(scores[order[:KEPT]].tolist())
        columns["confidence"].append(float(scores[order[0]]))
        # What would come first if the bank did not know the answer.
        others = order[~np.isin(order, question.relevant)]
        columns["without"].append(float(scores[others[0]]) if len(others) else float("nan"))
    return columns | per_query(columns["ranks"])


def best_ranks(questions: Sequence[BankQuestion]) -> list[list[int]]:
    """Return, of each question, the ranks of its right answers in the best ranking of its text.

    Questions of one text have one ranking; the best has first what is right for most of them.
    """
    right: dict[tuple[str, str], Counter[int]] = {}
    for q in questions:
        right.setdefault((q.protocol, q.text), Counter()).update(q.relevant)
    rank = {
        text: {answer: place for place, (answer, _) in enumerate(counts.most_common(), 1)}
        for text, counts in right.items()
    }
    return [sorted(rank[q.protocol, q.text][answer] for answer in q.relevant) for q in questions]


def per_query(ranks: Iterable[Sequence[int]]) -> dict[str, list]:
    """Return the values of queries, acc@k and ap, from the ranks of their right answers."""
    known = list(map(np.asarray, ranks))
    columns = {f"acc@{k}": [accuracy_at(r, k) for r in known] for k in FAQ_CUTOFFS}
    return columns | {"ap": list(map(average_precision, known))}


def score_rows(predictions: dict[str, list]) -> Iterator[dict]:
    """Yield protocol, metric, aggregation, value, n; ``ceiling`` is that of a perfect model."""
    protocols = np.asarray(predictions["protocol"])
    best = per_query(predictions["best"])
    for protocol in dict.fromkeys(protocols.tolist()):
        inside = protocols == protocol
        part = FAQ_DEV if protocol == FAQ_DEV else "test"
        parts = {part: predictions, CEILING: best}
        for (aggregation, columns), metric in product(parts.items(), FAQ_METRICS):
            values = np.asarray(columns["ap" if metric == "map" else metric])[inside]
            yield {
                "protocol": protocol,
                "metric": metric,
                "aggregation": aggregation,
                "subset": "",
                "value": float(values.mean()),
                "n": int(inside.sum()),
            }


def evaluate_faq(
    run: FaqRun, model: str, bank: str, dev: str, max_length: int, target: Target
) -> None:
    """Write the retrieval scores of one fold of a bank: of its test and of its dev questions.

    ``bank`` and ``dev`` are the records of the whole bank and of the fold's dev questions.
    """
    evaluation, saved, encoder = open_evaluation(model, {"data": bank, "dev": dev}, target)
    folder = Path(bank).parent
    whole = read_bank(folder)
    of_dev = read_bank(Path(dev).parent)
    if of_dev.answers != whole.answers:
        problem = "its answers are not those of the bank"
        raise InputError(dev, problem, "delete both records and prepare the bank again")
    questions = {
        "test": [q for q in whole.questions if q.part == run.fold and q.protocol in run.protocols],
        "dev": [replace(question, protocol=FAQ_DEV) for question in of_dev.questions],
    }
    # A question that is asked here is no known one, be it of the test or of dev.
    held_out = (run.fold, dev_part(run.fold, evaluation.read["data"]["folds"]))
    texts = read_parquet(folder / CANDIDATES, Candidate._fields).to_pylist()
    known = [Candidate(**text) for text in texts]
    candidates = known_candidates(known, run.ranking.match, held_out)
    predictions = predict(saved, encoder, candidates, questions, max_length, run.ranking.by)
    rows = list(score_rows(predictions))
    for row in rows:
        row |= {"fold": str(run.fold), "task": run.bank}
        if row["protocol"] == FAQ_DEV:
            row["data"] = outputs_digest(evaluation.read["dev"])
    own = {"fold": str(run.fold)}
    for protocol, row in product(run.protocols, training_rows(saved)):
        rows.append(row | own | {"protocol": protocol})
    evaluation.write("evaluate_faq", run, rows, predictions, ranking=asdict(run.ranking))
