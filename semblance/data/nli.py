"""Natural language inference: SNLI and MultiNLI as released, and SimCSE's triples made of them."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import cycle, repeat
from pathlib import Path
from typing import Any

from semblance.data.csv_text import read_csv
from semblance.data.json_lines import read_json_lines
from semblance.data.pair import UNLABELLED
from semblance.data.text import filled, read_rows
from semblance.errors import InputError, at

LABELS = ("entailment", "neutral", "contradiction")
COLUMNS = ("gold_label", "sentence1", "sentence2")


@dataclass(frozen=True)
class NliPair:
    """A premise, a hypothesis, their label, and the line that they stand on.

    The label is one of LABELS, or UNLABELLED where the annotators found no majority.
    """

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
    for pair in labelled_pairs(path):
        if pair.label == UNLABELLED:
            unlabelled += 1
        else:
            pairs.append(pair)
    return pairs, unlabelled


def labelled_pairs(path: Path | str) -> Iterator[NliPair]:
    """Yield the pairs of a file of SNLI 1.0, those of gold label "-" too; InputError as read_snli."""
    yield from _pairs(path, _read_fields(path), COLUMNS)


def read_table(path: Path | str) -> Iterator[NliPair]:
    """Yield the pairs of a table with tabs between the columns label, sentence1 and sentence2.

    It may have more columns. Quotes are plain characters; InputError as read_snli.
    """
    names = ("label", "sentence1", "sentence2")
    yield from _pairs(path, _read_tabs(path, needed=names), names)


def _pairs(
    path: Path | str, rows: Iterable[tuple[int, dict[str, Any]]], names: tuple[str, ...]
) -> Iterator[NliPair]:
    """Yield a pair of each row; ``names``: of its columns of label, premise and hypothesis."""
    line = 0
    for line, row in rows:
        label, premise, hypothesis = (filled(row.get(name), name, path, line) for name in names)
        if label not in (*LABELS, UNLABELLED):
            raise InputError(
                at(path, line), f"unknown label {label!r}", f"one of {', '.join(LABELS)} or -"
            )
        yield NliPair(premise, hypothesis, label, line)
    if not line:
        raise InputError(at(path, 1), "no pair", "fetch the release again")


def read_multinli(path: Path | str) -> tuple[list[NliPair], int]:
    """Read a file of MultiNLI 1.0; it has SNLI's formats and more columns."""
    return read_snli(path)


def _read_fields(path: Path | str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line and fields of a file, in the format that its name tells."""
    if str(path).removesuffix(".gz").endswith((".jsonl", ".json")):
        return read_json_lines(path)
    # A row may lack columns after the pair's id: the releases write only the labels that were given.
    return _read_tabs(path, needed=(*COLUMNS, "pairID"))


def _read_tabs(path: Path | str, needed: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield line and fields of a table with tabs, in which quotes are plain characters.

    A row may lack columns after the last one that is ``needed``. A header that lacks one, or names
    one twice, raises InputError.
    """
    rows = read_rows(path)
    _, first = next(rows, (1, ""))
    header = first.split("\t")
    times = Counter(header)
    missing = [name for name in needed if name not in times]
    if missing:
        raise InputError(
            at(path, 1), f"no column {', '.join(missing)}", "keep the release's header"
        )
    repeated = ", ".join(sorted(name for name, count in times.items() if count > 1))
    if repeated:
        raise InputError(at(path, 1), f"column {repeated:.80} stands twice", "rename one")
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
    return [Triple(*row) for row in build_rows(pairs, ("contradiction",))]


def build_rows(pairs: Iterable[NliPair], others: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Make rows of a premise, a sentence it entails, and one sentence of each of the labels ``others``.

    Premises with at least one of each count, in order of first appearance. Each entailed sentence
    gives one row.
    """
    # ASSUME the paper does not say how several are combined: entailed sentences in order, the
    # others cycled if fewer (a file of other triples can be given to read_triples).
    found: dict[str, dict[str, list[str]]] = {}
    for pair in pairs:
        by_label = found.setdefault(pair.premise, {label: [] for label in LABELS})
        by_label[pair.label].append(pair.hypothesis)
    rows = []
    for premise, by_label in found.items():
        if all(by_label[label] for label in others):
            columns = [cycle(by_label[label]) for label in others]
            rows += zip(repeat(premise), by_label["entailment"], *columns, strict=False)
    return rows


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
