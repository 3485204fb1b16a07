"""Questions answered from a FAQ: ranked answers, and whether the best of them is good enough."""

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from semblance.data.text import bare_or_whole, normalise, shows_nothing
from semblance.errors import InputError
from semblance.named_modules import WORDS
from semblance.strict_json import UNWRITABLE
from semblance_faq.answer.bank import Kind, KnownQuestion, known_questions
from semblance_faq.answer.folder import Ranking, StoredAnswerer, Threshold, read_answerer
from semblance_faq.answer.forward import Forward, pooling_of

if TYPE_CHECKING:
    from semblance.ranking.words import Words
    from semblance_faq.answer.embedding import Embedder

# Imported by their names: not every ranking needs torch, or scipy.
EMBEDDING = "semblance_faq.answer.embedding"
LONGEST = 1_000  # characters; no model here reads more than some 500 tokens
MOST_ANSWERS = 100
OF_WORDS = 0.1  # what the best match of words adds to a cosine
AT_ONCE = 256  # questions that are embedded and ranked together


def checked_question(text: str, where: str = "question") -> str:
    """Return a question with its white space normalised.

    Raises InputError for one that is empty, longer than LONGEST, or no text that can be written.
    """
    if len(text) > LONGEST:
        raise InputError(where, f"has more than {LONGEST:,} characters", "ask a shorter question")
    if UNWRITABLE.search(text):
        raise InputError(where, "holds a NUL or half a surrogate pair", "ask it as plain text")
    question = normalise(text)
    if shows_nothing(question):
        raise InputError(where, "is empty", "ask a question")
    return question


def checked_count(count: int) -> int:
    """Return a number of answers that may be asked for; InputError for any other."""
    if not 1 <= count <= MOST_ANSWERS:
        raise InputError("count", f"{count} answers", f"ask for 1 to {MOST_ANSWERS}")
    return count


@dataclass(frozen=True)
class Answer:
    """One answer of a ranking, and the text of its entry that matched the question best.

    ``score`` is what ranks: the cosine of that text, its BM25 score, or for the hybrid the sum of
    the cosine and a share of BM25. Ranks count from 1.
    """

    rank: int
    id: str
    question: str
    answer: str
    score: float
    matched_text: str
    matched_kind: Kind


@dataclass(frozen=True)
class Answered:
    """The ranked answers to a question, best first, and the scores from which on they are given."""

    question: str
    answers: tuple[Answer, ...]
    threshold: Threshold | None
    floor: float
    ranking: Ranking

    @property
    def likely(self) -> bool:
        """Whether the best answer lies above the floor; with a score of 0 it shares no word."""
        best = self.answers[0].score
        return best > 0 and best >= self.floor

    @property
    def known(self) -> bool:
        """Whether it lies above the threshold, too, for which a precision was shown."""
        return self.threshold is not None and bool(self.given)

    @property
    def given(self) -> tuple[Answer, ...]:
        """The answers above the threshold, or the floor where there is none."""
        least = self.floor if self.threshold is None else max(self.floor, self.threshold.score)
        return tuple(
            answer for answer in self.answers if answer.score >= least and answer.score > 0
        )


class Answerer:
    """A FAQ that is ready to answer; several threads may ask at the same time."""

    def __init__(self, stored: StoredAnswerer):
        """Load what the ranking needs: the model, the counts of words, or both."""
        self.stored = stored
        self.ranking = stored.settings.ranking
        # Where answers alone are compared, nothing else would know the FAQ's own questions.
        self.known: dict[str, KnownQuestion] = {}
        if stored.settings.match == "answer":
            self.known = known_questions(stored.entries)
        self.embedder: Forward | Embedder | None = None
        self.words: Words | None = None
        if self.ranking != "vectors":
            words = importlib.import_module(WORDS)
            self.words = words.Words(stored.bank.texts)
        if self.ranking != "words":
            self.embedder = _embedder(stored.model, stored.settings.max_length)

    @classmethod
    def open(cls, folder: str | Path) -> "Answerer":
        """Read a folder and load it; InputError for one that is damaged or no answerer."""
        return cls(read_answerer(Path(folder)))

    def ask(self, question: str, count: int = 5) -> Answered:
        """Rank the answers for a question and return the ``count`` best.

        Of equal scores the answer that stands first in the FAQ comes first. Raises InputError for
        a question that is empty or too long, and for a count out of bounds.
        """
        return self.ask_all([checked_question(question)], checked_count(count))[0]

    def ask_all(self, questions: Sequence[str], count: int) -> list[Answered]:
        """Answer questions that are checked: many at once take a fraction of their time one by one."""
        answers: list[Answered] = []
        for first in range(0, len(questions), AT_ONCE):
            asked = questions[first : first + AT_ONCE]
            of_texts = self._score_texts(asked)
            scores = self._score_answers(of_texts)
            rows = zip(asked, scores, of_texts[0], strict=True)
            answers += [self._answered(*row, count) for row in rows]
        return answers

    def _answered(
        self, question: str, scores: np.ndarray, of_texts: np.ndarray, count: int
    ) -> Answered:
        """Return the answer to one question: scores of the answers (A,) and of their texts (T,).

        One that stands in the FAQ gets its own entry: its score is the cosine of equal texts, or more
        where another answer, the floor or the threshold has more.
        """
        bank, settings = self.stored.bank, self.stored.settings
        known = self.known.get(bare_or_whole(question))
        if known is not None:
            limits = (settings.floor, settings.threshold.score if settings.threshold else 0.0)
            scores = scores.copy()
            scores[known.answer] = max(1.0, np.nextafter(scores.max(), np.inf), *limits)
        answers = []
        for rank, number in enumerate(best_first(scores, count), 1):
            first, last = np.searchsorted(bank.owners, [number, number + 1])
            text = int(first + np.argmax(of_texts[first:last]))  # it matched best
            source, matched = bank.sources[text], bank.texts[text]
            if known is not None and number == known.answer:
                source, matched = known.source, known.text
            entry = self.stored.entries[source.entry]
            of_entry = (entry.id, entry.question, entry.answer)
            answers.append(Answer(rank, *of_entry, float(scores[number]), matched, source.kind))
        return Answered(question, tuple(answers), settings.threshold, settings.floor, self.ranking)

    def rank_scores(self, question: str) -> np.ndarray:
        """Return what each answer is ranked by for a question, (A,), in the order of the bank."""
        return self._score_answers(self._score_texts([checked_question(question)]))[0]

    def _score_texts(self, questions: Sequence[str]) -> list[np.ndarray]:
        """Return the score of each candidate text, (Q, T), by vectors first, then by words."""
        scores = []
        if self.embedder is not None:
            scores.append(self.embedder.embed(questions) @ self.stored.vectors.T)
        if self.words is not None:
            scores.append(self.words.scores(questions))
        return scores

    def _score_answers(self, of_texts: list[np.ndarray]) -> np.ndarray:
        """Return what each answer is ranked by, (Q, A)."""
        best = [self.stored.bank.best(scores) for scores in of_texts]
        if self.ranking == "hybrid":
            return fuse(*best)
        return best[0]


def _embedder(model: Path, max_length: int) -> "Forward | Embedder":
    """Load a model without torch where its vectors can be computed so."""
    if pooling := pooling_of(model):
        return Forward(model, max_length, pooling)
    try:
        embedding = importlib.import_module(EMBEDDING)
    except ModuleNotFoundError as error:
        problem = f"its layers or its pooling need {error.name}"
        raise InputError(model, problem, "install the extra train of semblance-faq") from None
    return embedding.Embedder(model, max_length)


def fuse(cosines: np.ndarray, words: np.ndarray) -> np.ndarray:
    """Return scores (Q, A) as ``semblance.ranking.candidates.fuse`` does in the test."""
    highest = words.max(axis=1, keepdims=True)
    return cosines + OF_WORDS * words / np.where(highest > 0, highest, 1.0)


def best_first(scores: np.ndarray, count: int) -> list[int]:
    """Return the places of the ``count`` best scores; of equal ones the first place comes first."""
    if count < len(scores):
        least = np.partition(scores, -count)[-count]
        among = np.flatnonzero(scores >= least)
    else:
        among = np.arange(len(scores))
    order = np.argsort(-scores[among], kind="stable")
    return among[order][:count].tolist()
