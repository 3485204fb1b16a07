"""How the answers of a FAQ are ranked: by what, compared with which texts, and several as one."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from semblance.settings import By, Match

# Of reciprocal rank fusion: the constant of Cormack, Clarke and Buettcher (SIGIR 2009).
K = 60


@dataclass(frozen=True)
class Ranking:
    """``by`` the cosine of vectors, BM25, or both fused; what a question is compared with.

    ``match`` answer: the answers. question: the questions and the users' wordings that are known
    for them. better: both, of which the better counts. ``of`` is the method whose model ranks, if it
    is another one than the method that is evaluated.
    """

    by: By = "vectors"
    match: Match = "answer"
    of: str = ""


class Candidate(NamedTuple):
    """A text that stands for the answer of a number; its part is -1 where no fold holds it out."""

    answer: int
    kind: str
    text: str
    part: int


@dataclass(frozen=True)
class Candidates:
    """Texts, each of which stands for one answer; an answer is as good as the best of its texts.

    ``owners`` (T,) holds the number of each text's answer: ascending from 0, none left out. Those of
    the texts that are among ``questions`` ask; all others answer.
    """

    texts: tuple[str, ...]
    owners: np.ndarray
    questions: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls, texts_of_answers: Sequence[Sequence[str]], questions: Collection[str] = ()
    ) -> "Candidates":
        """Return the candidates of answers, given the texts of each; equal texts count once."""
        texts = []
        owners = []
        for number, own in enumerate(texts_of_answers):
            for text in dict.fromkeys(own):
                texts.append(text)
                owners.append(number)
        if len(set(owners)) != len(texts_of_answers):
            raise ValueError("an answer has no text")
        return cls(tuple(texts), np.asarray(owners, np.int64), frozenset(questions))

    @property
    def answers(self) -> int:
        """The number of answers."""
        return int(self.owners[-1]) + 1

    @cached_property
    def _first(self) -> np.ndarray:
        """The place of each answer's first text, (A,): the same for every question."""
        return np.searchsorted(self.owners, np.arange(self.answers))

    def best(self, scores: np.ndarray) -> np.ndarray:
        """Return the best score of each answer's texts: (Q, T) in, (Q, A) out."""
        return np.maximum.reduceat(scores, self._first, axis=1)


def known_candidates(
    candidates: Iterable[Candidate], match: Match, held_out: Collection[int]
) -> Candidates:
    """Return what a fold's questions are compared with: nothing that the fold holds out.

    An answer of which only held out wordings and questions are known is compared with itself.
    """
    answers: dict[int, str] = {}
    questions: dict[int, list[str]] = {}
    for candidate in candidates:
        if candidate.kind == "answer":
            answers[candidate.answer] = candidate.text
        elif candidate.part not in held_out:
            questions.setdefault(candidate.answer, []).append(candidate.text)
    texts = []
    for number in range(len(answers)):
        known = questions.get(number, [])
        if match == "answer" or not known:
            texts.append([answers[number]])
        elif match == "question":
            texts.append(known)
        else:
            texts.append([answers[number], *known])
    if match == "answer":
        return Candidates.of(texts)
    return Candidates.of(texts, {text for known in questions.values() for text in known})


def reciprocal_rank_fusion(*scores: np.ndarray) -> np.ndarray:
    """Return the fused scores (Q, A) of rankings (Q, A): the sum of 1 / (K + rank) over them.

    A higher score is better everywhere. Of equal scores the answer with the lower number comes
    first.
    """
    fused = np.zeros(scores[0].shape)
    places = np.broadcast_to(np.arange(1, fused.shape[1] + 1), fused.shape)
    for each in scores:
        ranks = np.empty(fused.shape, np.int64)
        order = np.argsort(-each, axis=1, kind="stable")
        np.put_along_axis(ranks, order, places, axis=1)
        fused += 1 / (K + ranks)
    return fused
