"""What another form of a model changes on the questions of its own FAQ.

The questions and wordings of all entries are asked. A text is not compared with itself, so that the
ranking is not decided before it begins.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from semblance.answering.bank import Bank
from semblance.answering.entries import FaqEntry
from semblance.data.text import normalise
from semblance.evaluation.metrics import average_precision, relevant_ranks
from semblance.ranking.candidates import Candidates

Embed = Callable[[Candidates], np.ndarray]  # texts to unit vectors (T, d)
MOST_ASKED = 2_000  # questions; of a larger FAQ as many are asked, evenly spread


class Asked(NamedTuple):
    """A question, the numbers of its right answers, and the places of its own text."""

    text: str
    relevant: tuple[int, ...]
    itself: tuple[int, ...]


@dataclass(frozen=True)
class Answers:
    """What one form of a model answers: the best answer and the average precision, each (Q,)."""

    best: np.ndarray
    precision: np.ndarray

    @property
    def mean(self) -> float:
        """The mean average precision."""
        return float(self.precision.mean())

    def kept(self, before: "Answers") -> int:
        """Return how many questions have the same best answer as before."""
        return int((self.best == before.best).sum())


def questions_of(entries: Sequence[FaqEntry], bank: Bank) -> list[Asked]:
    """Return the questions to ask, each text once.

    A question is left out where an answer is known by this text alone: nothing would be left of it.
    """
    numbers: dict[str, int] = {}
    right: dict[str, list[int]] = {}
    for entry in entries:
        number = numbers.setdefault(normalise(entry.answer), len(numbers))
        for text in (entry.question, *entry.wordings):
            right.setdefault(normalise(text), []).append(number)
    found = list(_askable(right, bank.candidates))
    if len(found) <= MOST_ASKED:
        return found
    places = np.linspace(0, len(found) - 1, MOST_ASKED).astype(int)
    return [found[place] for place in places]


def _askable(right: dict[str, list[int]], candidates: Candidates) -> Iterator[Asked]:
    places: dict[str, list[int]] = {}
    for place, text in enumerate(candidates.texts):
        places.setdefault(text, []).append(place)
    texts_of = Counter(candidates.owners.tolist())
    for text, numbers in right.items():
        own = places.get(text, [])
        if all(texts_of[int(candidates.owners[place])] > 1 for place in own):
            yield Asked(text, tuple(sorted(set(numbers))), tuple(own))


def answer_all(asked: Sequence[Asked], candidates: Candidates, embed: Embed) -> Answers:
    """Rank all answers by the cosine of their best text for each question."""
    texts = embed(candidates)
    questions = embed(_as_candidates([question.text for question in asked]))
    best = []
    precision = []
    for question, vector in zip(asked, questions, strict=True):
        scores = texts @ vector
        scores[list(question.itself)] = -np.inf
        of_answers = candidates.best(scores[None])[0]
        best.append(int(of_answers.argmax()))
        ranks = relevant_ranks(of_answers, np.asarray(question.relevant))
        precision.append(average_precision(ranks))
    return Answers(np.asarray(best), np.asarray(precision))


def _as_candidates(questions: Sequence[str]) -> Candidates:
    """Return questions as texts to be embedded, each with the prompt of a question."""
    return Candidates.of([[text] for text in questions], set(questions))
