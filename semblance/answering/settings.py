"""How an answerer ranks, and the score below which it gives no answer: the file answering.json."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from semblance.errors import InputError
from semblance.models.saved import LONGEST
from semblance.provenance import read_object
from semblance.settings import AtLeast, AtMost, Share, decode, decode_as

Ranking = Literal["vectors", "words", "hybrid"]
Match = Literal["answer", "question", "better"]


@dataclass(frozen=True)
class Threshold:
    """The least score of a first answer, for a precision that held-out questions have shown.

    The score is the cosine, or BM25's where words alone rank. ``answered`` is the share of the
    questions whose first answer reaches it. ``facts`` are what else its file says of how it was
    found.
    """

    score: float
    precision: float
    answered: float
    facts: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def from_json(cls, values: dict[str, Any], where: str) -> "Threshold":
        """Decode the three numbers strictly and keep the other keys; InputError for a bad number."""
        hints = {"score": float, "precision": Share, "answered": Share}
        for name in hints:
            if name not in values:
                raise InputError(f"{where}.{name}", "missing key")
        numbers = {
            name: decode_as(hint, values[name], f"{where}.{name}") for name, hint in hints.items()
        }
        facts = {name: value for name, value in values.items() if name not in hints}
        return cls(**numbers, facts=facts)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON form, which ``from_json`` reads."""
        numbers = {"score": self.score, "precision": self.precision, "answered": self.answered}
        return self.facts | numbers


@dataclass(frozen=True)
class AnsweringSettings:
    """Which ranking compares a question with which texts of an entry; ``max_length`` in tokens."""

    ranking: Ranking
    match: Match
    max_length: Annotated[int, AtLeast(3), AtMost(LONGEST)]
    threshold: Threshold | None

    def as_json(self) -> dict[str, Any]:
        """Return the JSON form, which ``read_settings`` reads."""
        threshold = None
        if self.threshold is not None:
            threshold = self.threshold.as_json()
        return {
            "ranking": self.ranking,
            "match": self.match,
            "max_length": self.max_length,
            "threshold": threshold,
        }


def read_settings(path: Path) -> AnsweringSettings:
    """Read an answering.json; InputError with the file and the key for anything unexpected."""
    return decode(AnsweringSettings, read_object(path), str(path))
