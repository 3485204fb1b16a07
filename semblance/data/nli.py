"""Natural language inference: SNLI and MultiNLI as released, and SimCSE's triples made of them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

from semblance.data.csv_text import read_csv
from semblance.data.json_lines import read_json_lines
from semblance.data.text import filled, read_rows
from semblance.errors import InputError, at

LABELS = ("entailment", "neutral", "contradiction")
UNLABELLED = "-"  # the annotators found no majority
COLUMNS = ("gold_label", "sentence1", "sentence2")


@dataclass(frozen=True)
class NliPair:
    """A premise, a hypothesis, one of LABELS, and the line that they stand on."""

    premise: str
    hypothesis: str
    label: str
    line: int


@dataclass(frozen=True)
class Triple:
    """A sentence, one that it entails, and one that it contradicts (the hard negative)."""

    query: str
    positive: str
    negative: str


def read_snli(path: Path | str) -> tuple[list[NliPair], int]:
    """Read a file of SNLI 1.0, ``.jsonl`` or tab-separated ``.txt``.

    Returns the labelled pairs and the number of pairs skipped because their gold label is "-".
    An unknown label, an empty sentence or a missing field raises InputError.
    """
    pairs = []
    unlabelled = 0
    for line, row in _read_fields(path):
        label, premise, hypothesis = (filled(row.get(name), name, path, line) for name in COLUMNS)
        if label == UNLABELLED:
            unlabelled += 1
        elif label not in LABELS:
            raise InputError(
                at(path, line), f"unknown label {label!r}", f"one of {', '.join(LABELS)} or -"
            )
        else:
            pairs.append(NliPair(premise, hypothesis, label, line))
    if not pairs and not unlabelled:
        raise InputError(at(path, 1), "no pair", "fetch the release again")
    return pairs, unlabelled


def read_multinli(path: Path | str) -> tuple[list[NliPair], int]:
    """Read a file of MultiNLI 1.0; it has SNLI's formats and more columns."""
    return read_snli(path)


def _read_fields(path: Path | str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line and fields of a file, in the format that its name tells."""
    if str(path).removesuffix(".gz").endswith((".jsonl", ".json")):
        return read_json_lines(path)
    return _read_tabs(path)


def _read_tabs(path: Path | str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield line and fields of the tab-separated release, in which quotes are plain characters.

    A row may lack columns after the pair's id: the releases write only as many labels as were given.
    """
    rows = read_rows(path)
    _, first = next(rows, (1, ""))
    header = first.split("\t")
    needed = (*COLUMNS, "pairID")
    missing = [name for name in needed if name not in header]
    if missing:
        raise InputError(
            at(path, 1), f"no column {', '.join(missing)}", "keep the release's header"
        )
    least = 1 + max(header.index(name) for name in needed)
    for line, text in rows:
        fields = text.split("\t")
        if not least <= len(fields) <= len(header):
            raise InputError(
                at(path, line), f"columns: {len(fields)}, expected {least} to {len(header)}"
            )
        yield line, dict(zip(header, fields, strict=False))


def build_triples(pairs: Iterable[NliPair]) -> list[Triple]:
    """Make SimCSE's training triples: a premise, a sentence it entails, one it contradicts.

    Premises with at least one of both count, in order of first appearance (SimCSE, supervised).
    Each entailed sentence gives one triple.
    """
    # ASSUME the paper does not say how several are combined: entailed sentences in order, the
    # contradicted ones cycled if fewer (a file of other triples can be given to read_triples).
    found: dict[str, tuple[list[str], list[str]]] = {}
    for pair in pairs:
        entailed, contradicted = found.setdefault(pair.premise, ([], []))
        if pair.label == "entailment":
            entailed.append(pair.hypothesis)
        elif pair.label == "contradiction":
            contradicted.append(pair.hypothesis)
    triples = []
    for premise, (entailed, contradicted) in found.items():
        if contradicted:
            for positive, negative in zip(entailed, cycle(contradicted), strict=False):
                triples.append(Triple(premise, positive, negative))
    return triples


def read_triples(path: Path | str) -> list[Triple]:
    """Read SimCSE's nli_for_simcse.csv: columns sent0, sent1, hard_neg (275,601 rows)."""
    names = ("sent0", "sent1", "hard_neg")
    triples = []
    for line, row in read_csv(path, names):
        texts = [filled(row[name], name, path, line) for name in names]
        triples.append(Triple(*texts))
    if not triples:
        raise InputError(at(path, 1), "no triple after the header")
    return triples
