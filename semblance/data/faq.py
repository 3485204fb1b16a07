"""FAQ banks: question-answer pairs, users' queries with the pairs relevant to them, and their parts.

Texts are white-space-normalised. Where a bank names no group, a pair's group is its question, so that
folds never split one question between training and test. The formats are the modules of ``banks``.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from semblance.data.text import bare_or_whole, normalise
from semblance.errors import InputError, at
from semblance.settings import HoldOut, Together

ANSWER, QUESTION = "answer", "question"  # what a text says of an answer: kinds of texts
WORDING = "wording"  # a user's own question


def split_groups(groups: Sequence[str], folds: int, seed: int) -> list[int]:
    """Assign each item a part, 0 to ``folds - 1``, the items of one group the same part.

    The largest group goes first, always to the smallest part so far, so that two parts differ by at
    most the largest group's size. Groups of one size are ordered by a hash of seed and name: it
    depends on neither the order of the items nor the process. Raises InputError if there are fewer
    groups than parts.
    """
    sizes = Counter(groups)
    if not 2 <= folds <= len(sizes):
        problem = f"{folds} parts of {len(sizes)} groups"
        raise InputError("folds", problem, "between 2 and the number of groups is possible")

    def rank(group: str) -> tuple[int, bytes, str]:
        """Return what orders the groups."""
        return -sizes[group], sha256(f"{seed}:{group}".encode()).digest(), group

    filled = [0] * folds  # items in each part so far
    part_of: dict[str, int] = {}
    for group in sorted(sizes, key=rank):
        part = filled.index(min(filled))
        part_of[group] = part
        filled[part] += sizes[group]
    return [part_of[group] for group in groups]


def dev_part(test: int, folds: int) -> int:
    """Return the part that a fold chooses its checkpoint by: the one after its test part.

    RCL's FAQ protocol: of 5 parts 3 to train, 1 dev, 1 test, in rotation.
    """
    return (test + 1) % folds


KNOWN = -1  # the part of what no fold holds out


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


class ReadingNotes(NamedTuple):
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
    reading: ReadingNotes = field(default=ReadingNotes(), compare=False)

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
    kept = tuple(pairs)
    if not kept:
        raise InputError(where, "no question-answer pair", "check that the file is the right one")
    return kept


@dataclass(frozen=True)
class Split:
    """How a bank is split.

    ``hold_out`` entries: a fold's test pairs are not in its training corpus. ``hold_out`` wordings:
    all pairs are known, and a fold holds out users' wordings. ``together`` group: the pairs of one
    group share a part; answer: so do the groups that share an answer or a question, in any spelling.
    """

    folds: int
    seed: int
    hold_out: HoldOut = "entries"
    together: Together = "group"


def split_bank(bank: Faq, split: Split) -> tuple[list[int], list[int]]:
    """Return the part of each pair and of each query; queries never move the parts of the pairs.

    Raises InputError where there are fewer groups than folds, or no part is left to train on.
    """
    if split.folds < 3:
        problem = f"{split.folds} parts leave none to train on"
        raise InputError("folds", problem, "choose at least 3")
    if split.hold_out == "wordings":
        return [KNOWN] * len(bank.pairs), _parts_of_wordings(bank, split)
    keys = keys_of(bank.pairs, split.together)
    pairs = split_groups(keys, split.folds, split.seed)
    part_of = {pair.group: part for pair, part in zip(bank.pairs, pairs, strict=True)}
    return pairs, _parts_of_queries(bank.queries, part_of, split)


def new_wordings(bank: Faq) -> set[str]:
    """Return the bare texts of those queries that a fold can hold out.

    A query without a right answer cannot be scored. A query that is a question of the bank, in any
    spelling, is known whatever a fold holds out.
    """
    questions = {bare_or_whole(pair.question) for pair in bank.pairs}
    return {bare_or_whole(query.text) for query in bank.queries if query.relevant} - questions


def _parts_of_wordings(bank: Faq, split: Split) -> list[int]:
    """Return the part of each query; spellings of one wording share a part."""
    texts = [bare_or_whole(query.text) for query in bank.queries]
    new = new_wordings(bank)
    held_out = [text for text in texts if text in new]
    parts = split_groups(held_out, split.folds, split.seed)
    part_of = dict(zip(held_out, parts, strict=True))
    return [part_of.get(text, KNOWN) for text in texts]


def keys_of(pairs: Sequence[FaqPair], together: Together) -> list[str]:
    """Return what the pairs that stay together share: the first group among them."""
    if together == "group":
        return [pair.group for pair in pairs]
    root: dict[str, str] = {}

    def find(name: str) -> str:
        """Return the group that stands for all groups connected with this one."""
        while root.setdefault(name, name) != name:
            root[name] = root[root[name]]
            name = root[name]
        return name

    first: dict[tuple[str, str], str] = {}  # the group in which a text stands first
    for pair in pairs:
        for kind, text in (("question", pair.question), ("answer", pair.answer)):
            other = first.setdefault((kind, bare_or_whole(text)), pair.group)
            root[find(pair.group)] = find(other)
    return [find(pair.group) for pair in pairs]


def answers_known_by_groups(pairs: Sequence[FaqPair], split: Split) -> int:
    """Return how many pairs have their answer in training in a split by groups alone.

    Of each fold, that is: a pair is tested in one fold, whose training has neither its test part
    nor its dev part.
    """
    parts = split_groups([pair.group for pair in pairs], split.folds, split.seed)
    of_answer: dict[str, set[int]] = {}
    answers = [bare_or_whole(pair.answer) for pair in pairs]
    for answer, part in zip(answers, parts, strict=True):
        of_answer.setdefault(answer, set()).add(part)
    return sum(
        bool(of_answer[answer] - {part, dev_part(part, split.folds)})
        for answer, part in zip(answers, parts, strict=True)
    )


def _parts_of_queries(
    queries: Sequence[FaqQuery], part_of: dict[str, int], split: Split
) -> list[int]:
    """Return the part of each query: that of the pairs of its group, or one of its group alone."""
    others = [query.group for query in queries if query.group not in part_of]
    distinct = sorted(set(others))
    if len(distinct) < split.folds:
        found = {group: number for number, group in enumerate(distinct)}
    else:
        parts = split_groups(others, split.folds, split.seed)
        found = dict(zip(others, parts, strict=True))
    found |= part_of
    return [found[query.group] for query in queries]
