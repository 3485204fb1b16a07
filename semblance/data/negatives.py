"""Hard negatives of a fold's training rows: wrong answers that the start model ranks high.

The margin is that of NV-Retriever (Moreira et al. 2024, TopK-PercPos): a candidate that the model
finds almost as good as the right text may be right, too, and is passed over.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from semblance.data.corpus import NONE, Rows
from semblance.data.fold_texts import ANSWER, QUESTION, FoldText
from semblance.errors import InputError
from semblance.settings import Count, PositiveShare

Key = tuple[str, int | str]  # what two texts that belong together share: an answer, or a group


@dataclass(frozen=True)
class MiningSettings:
    """How a hard negative is chosen.

    Its score is below ``margin`` times that of the right text. It is one of the first so many
    ``ranks`` of these: the one that fewest rows have so far, and of equals the first.
    """

    margin: PositiveShare
    ranks: Count


class Mined(NamedTuple):
    """Rows with a hard negative each, and counts for the record."""

    rows: Rows
    counts: dict[str, int]


def mine(
    rows: Rows,
    sentences: Sequence[str],
    texts: Sequence[FoldText],
    vectors: np.ndarray,
    settings: MiningSettings,
) -> Mined:
    """Return the rows of a corpus, each with a hard negative out of the same corpus.

    ``vectors`` (S, d) are of length one. The hard negative of an answer is an answer, that of a
    question a question. It shares no answer and no group with the row's query or its positive.
    Where no candidate is below the margin, the row has the one with the lowest score. A row to
    which every text of the kind belongs is left out.
    """
    if len(vectors) != len(sentences):
        problem = f"{len(vectors)} vectors of {len(sentences)} sentences"
        raise InputError("embeddings", problem, "embed the corpus again")
    search = _Search(sentences, texts, vectors)
    used: Counter[int] = Counter()
    above = 0
    negatives = np.full(len(rows.query), NONE, np.int32)
    for row, (query, positive) in enumerate(zip(rows.query, rows.positive, strict=True)):
        window, is_below = search.window(int(query), int(positive), settings)
        if window:
            negatives[row] = min(window, key=used.__getitem__)
            used[int(negatives[row])] += 1
            above += not is_below
    return _mined(rows, negatives, {"above the margin": above, "distinct negatives": len(used)})


def below(score: float, margin: float) -> float:
    """Return the limit under a score: ``margin`` times it, and as far below one that is negative."""
    return score - (1 - margin) * abs(score)


def _mined(rows: Rows, negatives: np.ndarray, counts: dict[str, int]) -> Mined:
    kept = negatives != NONE
    if not kept.any():
        problem = "no row has a wrong answer of another group"
        raise InputError("corpus", problem, "add entries of other groups, or mine no negatives")
    found = Rows(rows.query[kept], rows.positive[kept], negatives[kept])
    left_out = int(len(kept) - kept.sum())
    return Mined(found, {"rows": int(kept.sum()), "left out": left_out, **counts})


class _Search:
    """The candidates among the sentences of a corpus, ranked for one row after the other."""

    def __init__(self, sentences: Sequence[str], texts: Sequence[FoldText], vectors: np.ndarray):
        number = {sentence: i for i, sentence in enumerate(sentences)}
        self.vectors = vectors
        self.keys: dict[int, set[Key]] = {}
        for text in texts:
            keys = self.keys.setdefault(number[text.text], set())
            keys |= {("answer", text.answer), ("group", text.group)}
        self.of_kind = {
            kind: _numbers(number, texts, kind, self.keys) for kind in (ANSWER, QUESTION)
        }

    def window(self, query: int, positive: int, settings: MiningSettings) -> tuple[list[int], bool]:
        """Return what a row's negative is chosen from, the best first, and if it is below the margin.

        The list is empty where no text of the kind is wrong for the row.
        """
        numbers, scores = self.ranked(query, positive)
        limit = below(float(self.vectors[query] @ self.vectors[positive]), settings.margin)
        allowed = numbers[scores < limit][: settings.ranks]
        if len(allowed):
            return allowed.tolist(), True
        return numbers[-1:].tolist(), False

    def ranked(self, query: int, positive: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the candidates of a row and their scores, the best first; of equals the first."""
        kind = QUESTION
        if positive in self.of_kind[ANSWER].place:
            kind = ANSWER
        candidates = self.of_kind[kind]
        scores = self.vectors[candidates.numbers] @ self.vectors[query]
        order = np.argsort(-scores, kind="stable")
        own = self.keys[query] | self.keys[positive]
        refused = [place for key in own for place in candidates.with_key.get(key, ())]
        order = order[~np.isin(order, refused)]
        return candidates.numbers[order], scores[order]


class _Numbers(NamedTuple):
    """The sentences of one kind: their numbers, the place of each, and the places with each key."""

    numbers: np.ndarray
    place: dict[int, int]
    with_key: dict[Key, list[int]]


def _numbers(
    number: dict[str, int], texts: Sequence[FoldText], kind: str, keys: dict[int, set[Key]]
) -> _Numbers:
    distinct = dict.fromkeys(number[text.text] for text in texts if text.kind == kind)
    with_key: dict[Key, list[int]] = {}
    for place, sentence in enumerate(distinct):
        for key in keys[sentence]:
            with_key.setdefault(key, []).append(place)
    numbers = np.asarray(list(distinct), np.int64)
    return _Numbers(numbers, {n: i for i, n in enumerate(distinct)}, with_key)
