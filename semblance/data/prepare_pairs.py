"""From files of sentence pairs to a training corpus of positive pairs, with every count checked."""

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Literal

import numpy as np

from semblance.data.corpus import write_rows
from semblance.data.pair import UNLABELLED, Pair, check_labels
from semblance.data.raw import Raw
from semblance.errors import InputError
from semblance.named_modules import PAIRS, load_module
from semblance.settings import Count, Seed


@dataclass(frozen=True)
class PairSettings:
    """A corpus of pairs: the format of its files, its data sets, and which pairs it takes.

    ``labels``: those of the pairs to take, in the format's words; a format without labels takes
    none. ``limit``: how many pairs, the first ones, or with ``sample_seed`` random ones.
    """

    kind: Literal["pairs"]
    format: str
    datasets: tuple[str, ...]
    labels: tuple[str, ...] = ()
    limit: Count | None = None
    sample_seed: Seed | None = None


def write_positive_pairs(raw: Raw, settings: PairSettings, folder: Path) -> dict[str, int]:
    """Write a corpus of positive pairs without hard negatives; return its counts."""
    source = load_module(PAIRS, settings.format, "settings.format")
    check_labels(source.LABELS, settings.labels, "settings.labels")
    chosen = choose(_wanted(raw, source, settings), settings.limit, settings.sample_seed)
    if not chosen:
        raise InputError("settings.labels", "no pair has one of them", "name other labels")
    return write_rows(folder, [(pair.first, pair.second, None) for pair in chosen])


def choose(pairs: Iterable[Pair], limit: int | None, seed: int | None) -> list[Pair]:
    """Return the pairs of a corpus in their order: all, the first ``limit``, or random ones.

    All pairs are read in any case, so that their number can be checked. No more than ``limit`` are
    held. The random ones are those with the smallest of the numbers drawn for all pairs.
    """
    if limit is None:
        return list(pairs)
    if seed is None:
        return [pair for number, pair in enumerate(pairs) if number < limit]
    draw = np.random.Generator(np.random.PCG64(seed))
    drawn = ((draw.random(), number, pair) for number, pair in enumerate(pairs))
    # The same pairs for all seeds of the training, in the order of the file (S43).
    chosen = heapq.nsmallest(limit, drawn)
    return [pair for _, _, pair in sorted(chosen, key=lambda entry: entry[1])]


def _wanted(raw: Raw, source: ModuleType, settings: PairSettings) -> Iterator[Pair]:
    """Yield the pairs of the wanted labels, and check the counts of each data set at its end.

    A manifest may count all rows, those that can be used, and those of each label.
    """
    wanted = settings.labels or (UNLABELLED,)
    for name in settings.datasets:
        counts: Counter[str] = Counter()
        for pair in source.read(raw.file(name)):
            counts[pair.label] += 1
            if pair.label in wanted:
                yield pair
        of_label = {label: counts[label] for label in source.LABELS}
        usable = sum(of_label.values()) if source.LABELS else counts.total()
        raw.check(name, train=counts.total(), pairs=usable, **of_label)
