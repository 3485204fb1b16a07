"""Natural language inference: SNLI, MultiNLI and ANLI as released, and SimCSE's triples."""

from collections.abc import Callable, Iterable, Iterator
from itertools import cycle, repeat
from pathlib import Path
from typing import Any

from semblance.data.csv_text import read_csv, read_tab_table
from semblance.data.pair import UNLABELLED, Pair
from semblance.data.text import at_least_one, filled
from semblance.errors import InputError, at
from semblance.lines import read_json_lines

LABELS = ("entailment", "neutral", "contradiction")
COLUMNS = ("gold_label", "sentence1", "sentence2")
OF_TABLE = ("label", "sentence1", "sentence2")
OF_ANLI = ("label", "context", "hypothesis")
LABEL_OF_ANLI = {"e": "entailment", "n": "neutral", "c": "contradiction"}
TRIPLE = ("sent0", "sent1", "hard_neg")

Row = tuple[int, dict[str, Any]]


def read_release(path: Path | str) -> Iterator[Pair]:
    """Yield premise, hypothesis and label of a file of SNLI or MultiNLI 1.0.

    The file is ``.jsonl`` or tab-separated ``.txt``. A pair of gold label "-", on which the annotators
    found no majority, is unlabelled. An unknown label, an empty sentence, a missing field and a file
    without a pair raise InputError.
    """
    if str(path).removesuffix(".gz").endswith((".jsonl", ".json")):
        return _pairs(path, read_json_lines(path), COLUMNS)
    # A row may lack columns after the pair's id: the releases write only the labels that were given.
    return _pairs(path, read_tab_table(path, (*COLUMNS, "pairID")), COLUMNS)


def read_table(path: Path | str) -> Iterator[Pair]:
    """Yield the pairs of a table with tabs between label, sentence1, sentence2; it may have more."""
    return _pairs(path, read_tab_table(path, OF_TABLE), OF_TABLE)


def read_anli(path: Path | str) -> Iterator[Pair]:
    """Yield the pairs of one round of ANLI (Nie et al. 2020): JSON lines, labels e, n and c.

    The context, several sentences long, is the premise. InputError as read_release.
    """
    for line, row in at_least_one(read_json_lines(path), "pair", path):
        label, context, hypothesis = (filled(row.get(name), name, path, line) for name in OF_ANLI)
        if label not in LABEL_OF_ANLI:
            raise InputError(at(path, line), f"unknown label {label!r:.80}", "e, n or c")
        yield Pair(context, hypothesis, LABEL_OF_ANLI[label])


def _pairs(path: Path | str, rows: Iterable[Row], names: tuple[str, ...]) -> Iterator[Pair]:
    """Yield a pair of each row; ``names``: of its columns of label, premise and hypothesis."""
    for line, row in at_least_one(rows, "pair", path):
        label, premise, hypothesis = (filled(row.get(name), name, path, line) for name in names)
        if label not in (*LABELS, UNLABELLED):
            known = f"one of {', '.join(LABELS)} or -"
            raise InputError(at(path, line), f"unknown label {label!r}", known)
        yield Pair(premise, hypothesis, label)


READERS: dict[str, Callable[[Path], Iterable[Pair]]] = {  # of data sets with labels
    "snli": read_release,
    "multinli": read_release,
    "anli": read_anli,
    "nli-pairs-sample": read_table,
}


def check_neutral(datasets: Iterable[str], where: str) -> None:
    """Raise InputError for a data set that has no neutral sentences, because it is of triples."""
    for name in datasets:
        if name not in READERS:
            problem = f"data set {name!r} has no neutral sentences"
            raise InputError(where, problem, f"known are {', '.join(READERS)}")


def build_rows(pairs: Iterable[Pair], others: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Make rows of a premise, a sentence it entails, and one sentence of each of the labels ``others``.

    Premises with at least one of each count, in order of first appearance. Each entailed sentence
    gives one row. With ``others`` contradiction these are SimCSE's triples.
    """
    # ASSUME the paper does not say how several are combined: entailed sentences in order, the
    # others cycled if fewer (a file of other triples can be given to read_triples).
    sentences: dict[str, dict[str, list[str]]] = {}
    for premise, hypothesis, label in pairs:
        by_label = sentences.setdefault(premise, {name: [] for name in LABELS})
        by_label[label].append(hypothesis)
    rows = []
    for premise, by_label in sentences.items():
        # SimCSE's triples need both: without a contradiction there is no hard negative.
        if all(by_label[label] for label in others):
            columns = [cycle(by_label[label]) for label in others]
            rows += zip(repeat(premise), by_label["entailment"], *columns, strict=False)
    return rows


def read_triples(path: Path | str) -> list[tuple[str, ...]]:
    """Read SimCSE's nli_for_simcse.csv: columns sent0, sent1, hard_neg (275,601 rows)."""
    rows = at_least_one(read_csv(path, TRIPLE), "triple after the header", path)
    return [tuple(filled(row[name], name, path, line) for name in TRIPLE) for line, row in rows]
