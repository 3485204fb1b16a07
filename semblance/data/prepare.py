"""From raw files to training corpora and to dev and test sets of sentence pairs.

Every count that the manifest states is checked.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import pyarrow as pa

from semblance.data import nli, sts, wiki
from semblance.data.arrow import write_parquet
from semblance.data.corpus import number_sentences, write_corpus
from semblance.data.raw import Raw
from semblance.errors import InputError
from semblance.layout import STS_DEV
from semblance.settings import StsProtocol

STS_YEARS = {f"sts{y}": y for y in range(12, 17)} | {f"sts{y}-raw": y for y in range(12, 17)}


@dataclass(frozen=True)
class CorpusSettings:
    """A training set: its kind, its datasets in the manifest, and a cap on its rows."""

    kind: Literal["nli", "wiki"]
    datasets: tuple[str, ...]
    limit: int | None = None


@dataclass(frozen=True)
class StsSettings:
    """The test sets' datasets and the text variant that labels their scores."""

    datasets: tuple[str, ...]
    protocol: StsProtocol


@dataclass(frozen=True)
class DevSettings:
    """The dataset whose dev pairs choose each training's checkpoint, and its text variant."""

    dataset: str
    protocol: StsProtocol


@dataclass(frozen=True)
class Release:
    """How a data set of pairs is released in three files: the reader, and each part's file name."""

    read: Callable[[Path], list[sts.ScoredPair]]
    train: str
    dev: str
    test: str


RELEASES = {
    "stsb": Release(sts.read_stsb, "sts-train.csv", "sts-dev.csv", "sts-test.csv"),
    "sick": Release(sts.read_sick, "SICK_train.txt", "SICK_trial.txt", "SICK_test_annotated.txt"),
}


def write_triples(raw: Raw, settings: CorpusSettings, folder: Path) -> dict[str, int]:
    """Write the NLI corpus, of ready-made triples or of SNLI and MultiNLI; return its counts."""
    rows: list[nli.Triple] = []
    pairs: list[nli.NliPair] = []
    for name in settings.datasets:
        if name in ("snli", "multinli"):
            found, unlabelled = nli.read_snli(raw.file(name))  # MultiNLI has the same format
            raw.check(name, pairs=len(found), train=len(found) + unlabelled)
            pairs += found
        else:
            found = nli.read_triples(raw.file(name))
            raw.check(name, triples=len(found))
            rows += found
    rows += nli.build_triples(pairs)
    chosen = rows[: settings.limit]
    return write_corpus_rows(folder, [(t.query, t.positive, t.negative) for t in chosen])


def write_sentences(raw: Raw, settings: CorpusSettings, folder: Path) -> dict[str, int]:
    """Write a corpus of single sentences, each its own positive; return its counts."""
    lines: list[str] = []
    for name in settings.datasets:
        found = wiki.read_sentences(raw.file(name))
        raw.check(name, sentences=len(found))
        lines += found
    return write_corpus_rows(folder, [(s, s, None) for s in lines[: settings.limit]])


def write_corpus_rows(folder: Path, rows: Sequence[tuple]) -> dict[str, int]:
    """Write the rows (query, positive, negative or None) of a corpus; return its counts."""
    texts, numbered = number_sentences(rows)
    write_corpus(folder, texts, numbered)
    return {"rows": len(rows), "sentences": len(texts)}


def write_test_pairs(raw: Raw, settings: StsSettings, folder: Path) -> dict[str, int]:
    """Write the test pairs of every data set into ``pairs.parquet``; return the pairs of each task.

    A data set that is neither of SemEval's years nor in RELEASES is one CSV file with the columns
    sentence1, sentence2 and score; its task has its name.
    """
    pairs: list[sts.ScoredPair] = []
    for name in settings.datasets:
        pairs += _test_pairs(raw, name, settings.protocol)
    return _write_pairs(pairs, folder)


def _test_pairs(raw: Raw, name: str, protocol: str) -> list[sts.ScoredPair]:
    if name in STS_YEARS:
        if name.endswith("-raw") != (protocol == "raw"):
            raise InputError(
                "config.sts.datasets",
                f"{name} is not of protocol {protocol!r}",
                "texts of two releases are never mixed under one label",
            )
        pairs = sts.read_sts_year(raw.files(name)[0].parent, STS_YEARS[name])
        raw.check(name, pairs=len(pairs))
        return pairs
    if name in RELEASES:
        return _released_test_pairs(raw, name)
    pairs = sts.read_pairs_csv(raw.file(name), name)
    raw.check(name, pairs=len(pairs))
    return pairs


def _released_test_pairs(raw: Raw, name: str) -> list[sts.ScoredPair]:
    """Return the test pairs of a release in three files, after counting all three."""
    release = RELEASES[name]
    pairs = release.read(raw.file(name, release.test))
    train = len(release.read(raw.file(name, release.train)))
    dev = len(release.read(raw.file(name, release.dev)))
    raw.check(name, train=train, dev=dev, trial=dev, test=len(pairs))  # SICK says trial for dev
    return pairs


def write_dev_pairs(raw: Raw, settings: DevSettings, folder: Path) -> dict[str, int]:
    """Write the dev pairs that choose checkpoints into ``pairs.parquet``; return their number."""
    if settings.dataset not in RELEASES:
        known = ", ".join(RELEASES)
        raise InputError(
            "config.sts.dev", f"{settings.dataset!r} has no dev pairs", f"choose one of {known}"
        )
    release = RELEASES[settings.dataset]
    found = release.read(raw.file(settings.dataset, release.dev))
    for what in ("dev", "trial"):
        raw.check_one(settings.dataset, what, len(found))
    return _write_pairs([replace(pair, task=STS_DEV) for pair in found], folder)


def _write_pairs(pairs: Sequence[sts.ScoredPair], folder: Path) -> dict[str, int]:
    columns = ("task", "subset", "index", "sentence1", "sentence2", "score")
    table = {name: [getattr(pair, name) for pair in pairs] for name in columns}
    folder.mkdir(parents=True, exist_ok=True)
    write_parquet(pa.table(table), folder / "pairs.parquet")
    return {task: table["task"].count(task) for task in dict.fromkeys(table["task"])}
