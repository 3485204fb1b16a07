"""How an evaluation ranks the answers of a FAQ bank: by what, and compared with which texts."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from semblance.evaluation.prepared import Candidate
from semblance.ranking.candidates import Candidates

By = Literal["vectors", "words", "hybrid"]
Match = Literal["answer", "question", "better"]


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
    texts = [
        _texts(match, answers[number], questions.get(number, [])) for number in range(len(answers))
    ]
    if match == "answer":
        return Candidates.of(texts)
    return Candidates.of(texts, {text for known in questions.values() for text in known})


def _texts(match: Match, answer: str, questions: list[str]) -> list[str]:
    """Return the texts of one answer."""
    if match == "answer" or not questions:
        return [answer]
    if match == "question":
        return questions
    return [answer, *questions]
