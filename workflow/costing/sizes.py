"""How large the data of a config are, by the manifest's counts: rows, sentences, tokens."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from semblance.download.manifest import Dataset
from workflow.costing.banks import BankSize, FoldSize, bank_size, fold_size, whole_size
from workflow.costing.lines import count_own
from workflow.planning.data import own_sets
from workflow.planning.plan import Plan

UNKNOWN_ROWS = 1_000_000  # of a corpus whose data sets state no counts
ALL_LABELS = ("entailment", "neutral", "contradiction")  # a third of the pairs has each
TRIPLES_OF_PAIRS = 0.29  # SimCSE made 275,601 triples of the 942,854 pairs of SNLI and MultiNLI


class Texts(NamedTuple):
    """A number of sentences, and the mean number of tokens of one."""

    sentences: float
    tokens: float

    def cut(self, max_length: int) -> "Texts":
        """Return the texts with each sentence cut at a number of tokens."""
        return Texts(self.sentences, min(self.tokens, max_length))


class Corpus(NamedTuple):
    """A training corpus: rows, distinct sentences, and what one evaluation on dev or test reads."""

    rows: int
    texts: Texts
    dev: Texts
    test: Texts
    negatives: int = 0  # of a row


class Sizes:
    """The sizes of the data of one plan; ``kinds`` is the section ``texts`` of rates.yaml."""

    def __init__(self, plan: Plan, manifest: Mapping[str, Dataset], kinds: dict[str, Any]):
        self.manifest = manifest
        self.kinds = kinds
        self.own_pairs = own_sets(plan.config)
        tests = plan.config["sts"]["datasets"]
        self.sts_tests = sum(self._pairs(name, "pairs", "test") for name in tests)
        # SICK calls it trial
        self.sts_dev = self._pairs(plan.config["sts"]["dev"], "dev", "trial")
        self.sts = self._texts("sts", self.sts_tests + self.sts_dev)
        self.transfer_counts = {n: self._counts(n) for n in plan.config["transfer"]["datasets"]}
        items = sum(sum(counts.values()) for counts in self.transfer_counts.values())
        self.transfer = self._texts("transfer", items)
        counts = [self._counts(name) for name in plan.relatedness_datasets]
        self.rated = sum(count.get("train", 0) for count in counts)  # to train a regressor on
        rated = sum(sum(count.values()) for count in counts)
        self.relatedness = self._texts("sts", rated)
        self.banks = {
            name: bank_size(bank, self._counts(bank.get("dataset", "")))
            for name, bank in plan.banks.items()
        }
        self.corpora = {name: self._corpus(c) for name, c in plan.config["corpora"].items()}
        for fold, (bank, _) in plan.folds_of.items():
            size = self.banks[bank]
            found = fold_size(plan.banks[bank], size, plan.folds)
            self.corpora[fold] = self._of_bank(found, size)
        for name, part in plan.parts.items():
            self.corpora[name] = _part(self.corpora[part.corpus], part.percent)
        for whole, bank in plan.wholes.items():
            size = self.banks[bank]
            self.corpora[whole] = self._of_bank(whole_size(plan.banks[bank], size), size)

    def _corpus(self, entry: Mapping[str, Any]) -> Corpus:
        rows = sum(self._rows(entry, dataset) for dataset in entry["datasets"])
        if "path" in entry:
            rows = count_own(Path(entry["path"]))
        rows = max(2, min(rows or UNKNOWN_ROWS, entry.get("limit", math.inf)))
        texts = self._texts(entry["kind"], rows)
        negatives = 0
        if entry["kind"] == "nli":
            negatives = 1 + entry.get("neutral", False)
        return Corpus(rows, texts, self._texts("sts", self.sts_dev), self.sts, negatives)

    def _rows(self, entry: Mapping[str, Any], dataset: str) -> int:
        """Return how many rows a corpus gets from a data set; 0 where no count says it."""
        counts = self._counts(dataset)
        if entry["kind"] == "pairs":
            pairs = counts.get("train", counts.get("pairs", 0))
            return round(pairs * len(entry.get("labels", ALL_LABELS)) / len(ALL_LABELS))
        triples = round(TRIPLES_OF_PAIRS * counts.get("train", 0))
        sentences = counts.get("sentences", counts.get("lines", triples))
        return counts.get("triples", sentences)

    def _pairs(self, name: str, *counts: str) -> int:
        """Return the pairs of an STS set: as the first of these counts that is known says."""
        if name in self.own_pairs:
            return count_own(Path(self.own_pairs[name]["path"]))
        known = self._counts(name)
        return next((known[count] for count in counts if count in known), 0)

    def _of_bank(self, found: FoldSize, size: BankSize) -> Corpus:
        """Return the corpus of a fold or of a whole bank."""
        tokens = size.tokens or self.kinds["faq"]["tokens"]
        sentences = self.kinds["faq"]["sentences"] * found.pairs + found.queries
        read = (Texts(count, tokens) for count in (sentences, found.dev, found.test))
        return Corpus(found.rows, *read)

    def _texts(self, kind: str, rows: int) -> Texts:
        return Texts(rows * self.kinds[kind]["sentences"], self.kinds[kind]["tokens"])

    def _counts(self, dataset: str) -> Mapping[str, int]:
        return self.manifest[dataset].expected if dataset in self.manifest else {}

    def megabytes(self, dataset: str) -> float:
        """Return the MB of the files of a data set whose size the manifest states."""
        known = [size for size in self._file_sizes(dataset) if size is not None]
        return sum(known) / 1e6

    def unknown(self, dataset: str) -> int:
        """Return how many files of a data set have a size that the manifest does not state."""
        return self._file_sizes(dataset).count(None)

    def _file_sizes(self, dataset: str) -> list[int | None]:
        if dataset not in self.manifest:
            return [None]
        found = self.manifest[dataset]
        return [file.size for file in (*found.files, *found.archives)]


def _part(corpus: Corpus, percent: int) -> Corpus:
    """Return the corpus that is a part of one, on which nothing else is evaluated."""
    rows = max(2, corpus.rows * percent // 100)
    texts = corpus.texts._replace(sentences=corpus.texts.sentences * percent / 100)
    return corpus._replace(rows=rows, texts=texts)
