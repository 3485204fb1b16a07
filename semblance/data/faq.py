"""FAQ banks: question-answer pairs, and user queries with the pairs judged relevant to them.

Texts are white-space-normalised. Where a bank names no group, a pair's group is its question, so that
folds never split one question between training and test. The formats are the modules of ``banks``.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from semblance.data.text import normalise
from semblance.errors import InputError, at


@dataclass(frozen=True)
class FaqPair:
    """A question and its answer; folds keep the pairs of one group together."""

    id: str
    question: str
    answer: str
    group: str


@dataclass(frozen=True)
class FaqQuery:
    """A user's query and the ids of the pairs relevant to it, in the bank's order; there may be none."""

    id: str
    text: str
    group: str
    relevant: tuple[str, ...]


class Reading(NamedTuple):
    """What was found in a user's own files: lines for the log, and counts for the record."""

    lines: tuple[str, ...] = ()
    counts: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True)
class Faq:
    """A bank of pairs and the annotated queries to it; ids are unique in each.

    ``judgements`` is the number of judged (query, pair) combinations, where the format lists them;
    ``reading`` is what was found in a user's own files.
    """

    name: str
    pairs: tuple[FaqPair, ...]
    queries: tuple[FaqQuery, ...]
    judgements: int | None = None
    reading: Reading = field(default=Reading(), compare=False)

    def counts(self) -> dict[str, int]:
        """Return each count that a manifest can state of a bank."""
        counts = {
            "pairs": len(self.pairs),
            "answers": len(self.pairs),
            "queries": len(self.queries),
            "threads": len({pair.group for pair in self.pairs}),
            "templates": len({query.group for query in self.queries}),
        }
        if self.judgements is not None:
            counts["judgements"] = self.judgements
        return counts


def unique_answers(faq: Faq) -> tuple[list[str], dict[str, int]]:
    """Return the distinct answers in order of first appearance, and each pair id's index among them."""
    numbers: dict[str, int] = {}
    of_pair: dict[str, int] = {}
    for pair in faq.pairs:
        of_pair[pair.id] = numbers.setdefault(normalise(pair.answer), len(numbers))
    return list(numbers), of_pair


def add_unique(
    known: dict[str, Any], item: FaqPair | FaqQuery, path: Path | str, line: int
) -> None:
    """Add a pair or a query under its id; InputError with the line if the id is known already."""
    if item.id in known:
        raise InputError(at(path, line), f"id {item.id!r} stands twice", "ids must be unique")
    known[item.id] = item


def in_bank_order(ids: Iterable[str], pairs: dict[str, FaqPair]) -> tuple[str, ...]:
    """Return the ids in the bank's order, so that results never depend on a set's order."""
    wanted = set(ids)
    return tuple(key for key in pairs if key in wanted)


def require_pairs(pairs: Iterable[FaqPair], where: str) -> tuple[FaqPair, ...]:
    """Return the pairs of a bank; InputError if there is none."""
    found = tuple(pairs)
    if not found:
        raise InputError(where, "no question-answer pair", "check that the file is the right one")
    return found
