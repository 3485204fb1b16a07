"""The texts with which a question is compared, and where each of them stands in the FAQ."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, NamedTuple

from semblance.answering.entries import FaqEntry
from semblance.answering.settings import Match
from semblance.data.text import normalise
from semblance.ranking.candidates import Candidates
from semblance.settings import unknown_word

Kind = Literal["answer", "question", "wording"]


class TextSource(NamedTuple):
    """Which part of which entry a text is; ``entry`` is the entry's number."""

    kind: Kind
    entry: int


@dataclass(frozen=True)
class Bank:
    """Candidate texts, and beside each of them its source."""

    candidates: Candidates
    sources: tuple[TextSource, ...]  # (T,)


def build_bank(entries: Sequence[FaqEntry], match: Match) -> Bank:
    """Return the texts that stand for each distinct answer, in order of first appearance.

    Texts are compared and embedded with their white space normalised. A text that an answer has
    twice, such as a wording at two entries, counts for the first of them.
    """
    texts: dict[str, dict[str, TextSource]] = {}
    questions = set()
    for number, entry in enumerate(entries):
        of_answer = texts.setdefault(normalise(entry.answer), {})
        for kind, text in _texts_of(entry, match):
            plain = normalise(text)
            of_answer.setdefault(plain, TextSource(kind, number))
            if kind != "answer":
                questions.add(plain)
    candidates = Candidates.of([list(of_answer) for of_answer in texts.values()], questions)
    sources = chain.from_iterable(of_answer.values() for of_answer in texts.values())
    return Bank(candidates, tuple(sources))


def _texts_of(entry: FaqEntry, match: Match) -> Iterator[tuple[Kind, str]]:
    """Yield the texts of an entry that a question is compared with."""
    if match not in ("answer", "question", "better"):
        raise unknown_word("match", match, Match)
    if match != "question":
        yield "answer", entry.answer
    if match != "answer":
        yield "question", entry.question
        for wording in entry.wordings:
            yield "wording", wording
