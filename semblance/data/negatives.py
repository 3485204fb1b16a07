"""Hard negatives of a fold's training rows: wrong answers that the start model ranks high.

The margin is that of NV-Retriever (Moreira et al. 2024, TopK-PercPos): a candidate that the model
finds almost as good as the right text may be right, too, and is passed over.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semblance.data.corpus import NONE, Rows
from semblance.data.folds import ANSWER, QUESTION, FoldText
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


def mine(
    rows: Rows,
    sentences: Sequence[str],
    texts: Sequence[FoldText],
    vectors: np.ndarray,
    settings: MiningSettings,
) -> tuple[Rows, dict[str, int]]:
    """Return the rows of a corpus, each with a hard negative out of the same corpus, and counts.

    ``vectors`` (S, d) are of length one. The hard negative of an answer is an answer, that of a
    question a question. It shares no answer and no group with the row's query or its positive.
    Where no candidate is below the margin, the row has the one with the lowest score. A row to
    which every text of the kind belongs is left out.
    """
    search = _Search(sentences, texts, vectors)
    used: Counter[int] = Counter()
    above = 0
    negatives = np.full(len(rows.query), NONE, np.int32)
    for row, (query, positive) in enumerate(zip(rows.query, rows.positive, strict=True)):
        numbers, scores = search.ranked(int(query), int(positive))
        if not len(numbers):
            continue
        limit = below(float(vectors[query] @ vectors[positive]), settings.margin)
        window = numbers[scores < limit][: settings.ranks].tolist()
        if not window:
            window = numbers[-1:].tolist()
            above += 1
        negatives[row] = min(window, key=used.__getitem__)
        used[int(negatives[row])] += 1
    found = negatives != NONE
    if not found.any():
        problem = "no row has a wrong answer of another group"
        raise InputError("corpus", problem, "add entries of other groups, or mine no negatives")
    counts = {"rows": int(found.sum()), "left out": int((~found).sum())}
    counts |= {"above the margin": above, "distinct negatives": len(used)}
    return Rows(rows.query[found], rows.positive[found], negatives[found]), counts


def below(score: float, margin: float) -> float:
    """Return the limit under a score: ``margin`` times it, and as far below one that is negative."""
    return score - (1 - margin) * abs(score)


class _Search:
    """The candidates among the sentences of a corpus, ranked for one row after the other."""

    def __init__(self, sentences: Sequence[str], texts: Sequence[FoldText], vectors: np.ndarray):
        number = {sentence: i for i, sentence in enumerate(sentences)}
        self.vectors = vectors
        self.keys: dict[int, set[Key]] = defaultdict(set)  # of each sentence
        numbers: dict[str, dict[int, None]] = {ANSWER: {}, QUESTION: {}}  # of each kind, in order
        for text in texts:
            sentence = number[text.text]
            self.keys[sentence] |= {("answer", text.answer), ("group", text.group)}
            numbers.setdefault(text.kind, {})[sentence] = None
        self.answers = numbers[ANSWER]
        self.candidates = {kind: np.array([*found], np.int64) for kind, found in numbers.items()}
        self.places: dict[tuple[str, Key], list[int]] = defaultdict(list)  # among the candidates
        for kind, found in numbers.items():
            for place, sentence in enumerate(found):
                for key in self.keys[sentence]:
                    self.places[kind, key].append(place)

    def ranked(self, query: int, positive: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the candidates of a row and their scores, the best first; of equals the first."""
        kind = ANSWER if positive in self.answers else QUESTION
        numbers = self.candidates[kind]
        scores = self.vectors[numbers] @ self.vectors[query]
        order = np.argsort(-scores, kind="stable")
        own = self.keys[query] | self.keys[positive]
        refused = [place for key in own for place in self.places.get((kind, key), ())]
        order = order[~np.isin(order, refused)]
        return numbers[order], scores[order]
