"""Which part of a bank's folds each pair and each user's query belongs to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from semblance.data import folds
from semblance.data.faq import Faq, FaqPair, FaqQuery
from semblance.data.text import normalise
from semblance.errors import InputError

HoldOut = Literal["entries", "wordings"]
Together = Literal["group", "answer"]
KNOWN = -1  # the part of what no fold holds out


@dataclass(frozen=True)
class Split:
    """How a bank is split.

    ``hold_out`` entries: a fold's test pairs are not in its training corpus. ``hold_out`` wordings:
    all pairs are known, and a fold holds out users' queries. ``together`` group: the pairs of one
    group share a part; answer: so do the groups that share an answer.
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
        texts = [normalise(query.text).casefold() for query in bank.queries]
        queries = folds.split_groups(texts, split.folds, split.seed)
        return Parts([KNOWN] * len(bank.pairs), queries)
    keys = _keys(bank.pairs, split.together)
    pairs = folds.split_groups(keys, split.folds, split.seed)
    part_of = {pair.group: part for pair, part in zip(bank.pairs, pairs, strict=True)}
    return Parts(pairs, _parts_of_queries(bank.queries, part_of, split))


def _keys(pairs: Sequence[FaqPair], together: Together) -> list[str]:
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

    first: dict[str, str] = {}  # the group in which an answer stands first
    for pair in pairs:
        other = first.setdefault(normalise(pair.answer), pair.group)
        root[find(pair.group)] = find(other)
    return [find(pair.group) for pair in pairs]


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
