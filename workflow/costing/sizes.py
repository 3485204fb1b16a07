"""How large the data of a config are, by the manifest's counts: rows, sentences, tokens."""

import functools
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from semblance.download.manifest import Dataset
from semblance.errors import InputError
from workflow.planning.plan import Plan

UNKNOWN_ROWS = 1_000_000  # of a corpus whose data sets state no counts
UNKNOWN_PAIRS = 1000  # of a FAQ bank whose data set states no counts
TRIPLES_OF_PAIRS = 0.29  # SimCSE made 275,601 triples of the 942,854 pairs of SNLI and MultiNLI


class Texts(NamedTuple):
    """A number of sentences, and the mean number of tokens of one."""

    sentences: float
    tokens: float

    def cut(self, max_length: float) -> "Texts":
        """Return the texts with each sentence cut at a number of tokens."""
        return Texts(self.sentences, min(self.tokens, max_length))


class Sizes:
    """The sizes of one plan's data; ``kinds`` is the section ``texts`` of rates.yaml."""

    def __init__(self, plan: Plan, manifest: Mapping[str, Dataset], kinds: dict[str, Any]):
        self.plan = plan
        self.config = plan.config
        self.manifest = manifest
        self.kinds = kinds

    def kind(self, corpus: str) -> str:
        """Return the kind of a corpus; that of a fold is faq."""
        return "faq" if self.plan.is_faq(corpus) else self.config["corpora"][corpus]["kind"]

    def rows(self, corpus: str) -> int:
        """Return the rows of a training corpus; of a fold, those for neither dev nor test."""
        if self.plan.is_faq(corpus):
            pairs, _ = self._bank_of(corpus)
            return max(2, pairs * (self.plan.folds - 2) // self.plan.folds)
        entry = self.config["corpora"][corpus]
        rows = 0
        for dataset in entry["datasets"]:
            counts = self._counts(dataset)
            triples = round(TRIPLES_OF_PAIRS * counts.get("train", 0))
            rows += counts.get("triples", counts.get("sentences", triples))
        return max(2, min(rows or UNKNOWN_ROWS, entry.get("limit", math.inf)))

    def texts(self, corpus: str) -> Texts:
        """Return the distinct sentences of a training corpus."""
        kind = self.kinds[self.kind(corpus)]
        return Texts(self.rows(corpus) * kind["sentences"], kind["tokens"])

    def dev(self, corpus: str) -> Texts:
        """Return the sentences that one dev evaluation of a training reads."""
        if not self.plan.is_faq(corpus):
            return Texts(2 * self.sts_dev(), self.kinds["sts"]["tokens"])
        pairs, _ = self._bank_of(corpus)
        return Texts(pairs + pairs / self.plan.folds, self.kinds["faq"]["tokens"])

    def test(self, corpus: str) -> Texts:
        """Return the sentences that the evaluation of a model reads."""
        if not self.plan.is_faq(corpus):
            pairs = self.sts_tests() + self.sts_dev()
            return Texts(2 * pairs, self.kinds["sts"]["tokens"])
        _, queries = self._bank_of(corpus)
        sentences, tokens = self.dev(corpus)
        return Texts(sentences + queries / self.plan.folds, tokens)

    def sts_tests(self) -> int:
        """Return the scored pairs of all STS tests."""
        counts = [self._counts(name) for name in self.config["sts"]["datasets"]]
        return sum(count.get("pairs", count.get("test", 0)) for count in counts)

    def sts_dev(self) -> int:
        """Return the scored pairs of the STS dev set."""
        counts = self._counts(self.config["sts"]["dev"])
        return counts.get("dev", counts.get("trial", 0))

    def bank(self, name: str) -> tuple[int, int]:
        """Return the question-answer pairs and the users' queries of a FAQ bank."""
        entry = self.plan.banks[name]
        if "path" in entry:
            return max(UNKNOWN_PAIRS, _lines(Path(entry["path"]))), 0
        counts = self._counts(entry["dataset"])
        return counts.get("pairs", counts.get("answers", UNKNOWN_PAIRS)), counts.get("queries", 0)

    def megabytes(self, dataset: str) -> float:
        """Return the MB of the files of a data set, as far as the manifest states them."""
        found = self._dataset(dataset)
        return sum(file.size or 0 for file in (*found.files, *found.archives)) / 1e6

    def _bank_of(self, fold: str) -> tuple[int, int]:
        return self.bank(self.plan.folds_of[fold][0])

    def _counts(self, dataset: str) -> Mapping[str, int]:
        return self._dataset(dataset).expected

    def _dataset(self, name: str) -> Dataset:
        if name not in self.manifest:
            known = ", ".join(sorted(self.manifest))
            raise InputError(self.config["manifest"], f"no data set {name!r}", f"known are {known}")
        return self.manifest[name]


@functools.cache
def _lines(path: Path) -> int:
    """Return the lines of a file, so at least the number of its pairs; 0 where there is no file."""
    return path.read_bytes().count(b"\n") if path.is_file() else 0
