"""The entries of a FAQ, and the texts of each with which a question is compared."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from semblance.data.text import bare_or_whole, normalise
from semblance.files import write_text

Match = Literal["answer", "question", "better"]
Kind = Literal["answer", "question", "wording"]


@dataclass(frozen=True)
class FaqEntry:
    """A question, its answer, and other wordings of the question."""

    id: str
    question: str
    answer: str
    wordings: tuple[str, ...] = ()


def write_entries(path: Path, entries: Iterable[FaqEntry]) -> None:
    """Write entries, one JSON object a line, whole or not at all."""
    lines = [json.dumps(asdict(entry), ensure_ascii=False) + "\n" for entry in entries]
    write_text(path, "".join(lines))


def read_entries(path: Path) -> tuple[FaqEntry, ...]:
    """Read what ``write_entries`` wrote."""
    with path.open(encoding="utf-8", newline="\n") as stream:
        values = [json.loads(line) for line in stream]
    return tuple(FaqEntry(**value | {"wordings": tuple(value["wordings"])}) for value in values)


class TextSource(NamedTuple):
    """Which part of which entry a text is; ``entry`` is the entry's number."""

    kind: Kind
    entry: int


class KnownQuestion(NamedTuple):
    """A question that the FAQ holds, and the number of its answer."""

    answer: int
    source: TextSource
    text: str


@dataclass(frozen=True)
class Bank:
    """Texts that stand for the answers, and the source of each of them.

    ``owners`` (T,) holds the number of each text's answer: ascending from 0, none left out. Those of
    the texts that are among ``questions`` ask; all others answer.
    """

    texts: tuple[str, ...]
    owners: np.ndarray
    sources: tuple[TextSource, ...]
    questions: frozenset[str]

    def best(self, scores: np.ndarray) -> np.ndarray:
        """Return the best score of each answer's texts: (Q, T) in, (Q, A) out."""
        first = np.flatnonzero(np.diff(self.owners, prepend=-1))
        return np.maximum.reduceat(scores, first, axis=1)


def build_bank(entries: Sequence[FaqEntry], match: Match) -> Bank:
    """Return the texts that stand for each distinct answer, in order of first appearance.

    Texts are compared and embedded with their white space normalised. A text that an answer has
    twice, such as a wording at two entries, counts for the first of them.
    """
    answers: dict[str, dict[str, TextSource]] = {}
    questions = set()
    for number, entry in enumerate(entries):
        of_answer = answers.setdefault(normalise(entry.answer), {})
        own: list[tuple[Kind, str]] = [("answer", entry.answer)] * (match != "question")
        if match != "answer":
            own.append(("question", entry.question))
            own += [("wording", wording) for wording in entry.wordings]
        for kind, text in own:
            plain = normalise(text)
            of_answer.setdefault(plain, TextSource(kind, number))
            if kind != "answer":
                questions.add(plain)
    texts = chain.from_iterable(answers.values())
    sources = chain.from_iterable(of_answer.values() for of_answer in answers.values())
    owners = np.repeat(np.arange(len(answers)), [len(own) for own in answers.values()])
    return Bank(tuple(texts), owners, tuple(sources), frozenset(questions))


def known_questions(entries: Sequence[FaqEntry]) -> dict[str, KnownQuestion]:
    """Return the questions and wordings of entries by their bare texts; of equal ones the first."""
    numbers: dict[str, int] = {}
    known: dict[str, KnownQuestion] = {}
    for place, entry in enumerate(entries):
        answer = numbers.setdefault(normalise(entry.answer), len(numbers))
        for text in (entry.question, *entry.wordings):
            kind: Kind = "question" if text is entry.question else "wording"
            found = KnownQuestion(answer, TextSource(kind, place), normalise(text))
            known.setdefault(bare_or_whole(text), found)
    return known
