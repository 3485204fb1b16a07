"""Which part of a bank's folds each pair and each user's query belongs to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from semblance.data import folds
from semblance.data.bare import bare_or_whole
from semblance.data.faq import Faq, FaqPair, FaqQuery
from semblance.errors import InputError

HoldOut = Literal["entries", "wordings"]
Together = Literal["group", "answer"]
KNOWN = -1  # the part of what no fold holds out


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


@dataclass(frozen=True)
class Parts:
    """The part of each pair and of each query, in the bank's order."""

    pairs: list[int]
    queries: list[int]


def split_bank(bank: Faq, split: Split) -> Parts:
    """Split a bank; queries never move the parts of the pairs.

    Raises InputError where there are fewer groups than folds, or no part is left to train on.
    """
    if split.folds < 3:
        problem = f"{split.folds} parts leave none to train on"
        raise InputError("folds", problem, "choose at least 3")
    if split.hold_out == "wordings":
        return Parts([KNOWN] * len(bank.pairs), _parts_of_wordings(bank, split))
    keys = keys_of(bank.pairs, split.together)
    pairs = folds.split_groups(keys, split.folds, split.seed)
    part_of = {pair.group: part for pair, part in zip(bank.pairs, pairs, strict=True)}
    return Parts(pairs, _parts_of_queries(bank.queries, part_of, split))


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
    parts = folds.split_groups(held_out, split.folds, split.seed)
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
    parts = folds.split_groups([pair.group for pair in pairs], split.folds, split.seed)
    of_answer: dict[str, set[int]] = {}
    answers = [bare_or_whole(pair.answer) for pair in pairs]
    for answer, part in zip(answers, parts, strict=True):
        of_answer.setdefault(answer, set()).add(part)
    return sum(
        bool(of_answer[answer] - {part, folds.dev_part(part, split.folds)})
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
        parts = folds.split_groups(others, split.folds, split.seed)
        found = dict(zip(others, parts, strict=True))
    found |= part_of
    return [found[query.group] for query in queries]
