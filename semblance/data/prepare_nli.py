"""From raw NLI files to a training corpus of triples, with every count checked."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from semblance.data import nli
from semblance.data.corpus import write_rows
from semblance.data.pair import UNLABELLED, Pair
from semblance.data.raw import Raw


@dataclass(frozen=True)
class NliSettings:
    """A training set of NLI: its data sets in the manifest, and a cap on its rows.

    ``neutral``: a row has a second hard negative, a neutral sentence.
    """

    kind: Literal["nli"]
    datasets: tuple[str, ...]
    limit: int | None = None
    neutral: bool = False


def write_triples(raw: Raw, settings: NliSettings, folder: Path) -> dict[str, int]:
    """Write the NLI corpus, of ready-made triples and of labelled pairs; return its counts.

    Ready-made triples have no neutral sentence: with ``neutral`` they raise InputError.
    """
    others: tuple[str, ...] = ("contradiction",)
    if settings.neutral:
        nli.check_neutral(settings.datasets, "settings.neutral")
        others = ("contradiction", "neutral")
    rows: list[tuple[str, ...]] = []
    labelled: list[Pair] = []
    for name in settings.datasets:
        if name in nli.READERS:
            pairs = [pair for path in raw.files(name) for pair in nli.READERS[name](path)]
            with_label = [pair for pair in pairs if pair.label != UNLABELLED]
            raw.check(name, pairs=len(with_label), train=len(pairs))
            labelled += with_label
        else:
            triples = nli.read_triples(raw.file(name))
            raw.check(name, triples=len(triples))
            rows += triples
    rows += nli.build_rows(labelled, others)
    return write_rows(folder, rows[: settings.limit], len(others))
