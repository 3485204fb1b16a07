"""The texts that a question is compared with, and the answer that each of them stands for."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np


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
