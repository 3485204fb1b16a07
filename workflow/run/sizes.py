"""How large the data of a config are: rows, sentences and tokens.

By the manifest's counts, and by the user's own files, of which lines and bytes are counted.
"""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from semblance.fetch.manifest import Dataset
from workflow.config import inputs
from workflow.config.inputs import Bank, DatasetBank, Nli, Pairs, Triples
from workflow.planning.plan import Plan

PACKED = (".gz", ".xlsx", ".xlsm")  # files that do not show their rows as lines
UNKNOWN_PAIRS = 1000  # of a FAQ bank whose size nobody states
UNKNOWN_ROWS = 1_000_000  # of a corpus whose data sets state no counts
ALL_LABELS = ("entailment", "neutral", "contradiction")  # a third of the pairs has each
TRIPLES_OF_PAIRS = 0.29  # SimCSE made 275,601 triples of the 942,854 pairs of SNLI and MultiNLI
BYTES_OF_TOKEN = 4.5  # WordPiece, English, with the space

# Tokens of a sentence (WordPiece, uncased), and distinct sentences of a row; counted in 8,000 rows.
TEXTS = {
    "nli": (13.7, 2.7),
    "wiki": (32.8, 1.0),
    "pairs": (13.6, 1.9),
    "triples": (90.0, 2.7),  # documents, as long as a FAQ's answers: nobody knows
    "faq": (90.0, 1.8),
    "sts": (14.0, 2.0),
}


class Corpus(NamedTuple):
    """A training corpus: rows, distinct sentences, tokens of one, and what an evaluation on dev reads."""

    rows: int
    sentences: float
    tokens: float
    dev_sentences: float = 0
    dev_tokens: float = 0
    negatives: int = 0  # of a row


class BankSize(NamedTuple):
    """The question-answer pairs of a bank, its users' queries, and the mean tokens of a text."""

    pairs: float
    queries: float
    tokens: float


class Sizes:
    """The sizes of the data of one plan; ``sts_dev`` and ``sts_tests`` are numbers of pairs."""

    def __init__(self, plan: Plan, manifest: Mapping[str, Dataset]):
        self.manifest = manifest
        sts = plan.config.sts
        self.sts_dev = self._count(sts.dev, "dev", "trial")  # SICK calls it trial
        self.sts_tests = sum(self._count(name, "pairs", "test") for name in sts.datasets)
        self.banks = {name: self._bank(bank) for name, bank in plan.banks.items()}
        self.corpora = {name: self._corpus(c) for name, c in plan.config.corpora.items()}
        for fold, (bank, _) in plan.folds_of.items():
            self.corpora[fold] = corpus_of(plan.banks[bank], self.banks[bank], plan.folds)
        for whole, bank in plan.wholes.items():
            self.corpora[whole] = corpus_of(plan.banks[bank], self.banks[bank])

    def megabytes(self, dataset: str) -> float:
        """Return the MB of the files of a data set whose size the manifest states."""
        if dataset not in self.manifest:
            return 0.0
        stated = self.manifest[dataset]
        return sum(file.size or 0 for file in (*stated.files, *stated.archives)) / 1e6

    def _corpus(self, entry: inputs.Corpus) -> Corpus:
        rows = sum(self._rows(entry, dataset) for dataset in entry.datasets)
        rows = max(2, min(rows or UNKNOWN_ROWS, entry.limit or math.inf))
        tokens, sentences = TEXTS[entry.kind]
        negatives = int(isinstance(entry, Triples))
        if isinstance(entry, Nli):
            negatives = 1 + bool(entry.neutral)
        dev = 2 * self.sts_dev
        return Corpus(rows, rows * sentences, tokens, dev, TEXTS["sts"][0], negatives)

    def _rows(self, entry: inputs.Corpus, dataset: str) -> int:
        """Return how many rows a corpus gets from a data set; 0 where no count says it."""
        if isinstance(entry, Pairs):
            pairs = self._count(dataset, "train", "pairs")
            return round(pairs * len(entry.labels or ALL_LABELS) / len(ALL_LABELS))
        rows = self._count(dataset, "triples", "sentences", "lines")
        return rows or round(TRIPLES_OF_PAIRS * self._count(dataset, "train"))

    def _bank(self, bank: Bank) -> BankSize:
        if isinstance(bank, DatasetBank):
            pairs = self._count(bank.dataset, "pairs", "answers") or UNKNOWN_PAIRS
            return BankSize(pairs, self._count(bank.dataset, "queries"), TEXTS["faq"][0])
        path = Path(bank.path)
        pairs = count_own(path)
        tokens = TEXTS["faq"][0]
        if pairs != UNKNOWN_PAIRS:
            tokens = path.stat().st_size / (2 * pairs) / BYTES_OF_TOKEN
        queries = count_own(Path(bank.queries_path)) if bank.queries_path else 0
        return BankSize(pairs, queries, tokens)

    def _count(self, dataset: str, *names: str) -> int:
        """Return the first of some counts that the manifest states of a data set, or 0."""
        counts = self.manifest[dataset].expected if dataset in self.manifest else {}
        return next((counts[name] for name in names if name in counts), 0)


def corpus_of(bank: Bank, size: BankSize, folds: int = 0) -> Corpus:
    """Return the size of one of the ``folds`` of a bank, without its dev and test part, or of all of it.

    Where it trains on wordings, a query makes two rows: one with its answer, one with its question.
    """
    kept = (folds - 2) / folds if folds else 1.0
    queries = kept * size.queries if bank.train_on == "wordings" else 0.0
    asked, pairs = size.pairs, kept * size.pairs
    if bank.hold_out == "wordings":
        asked, pairs = size.queries, size.pairs
    sentences = TEXTS["faq"][1] * pairs + queries
    dev = size.pairs + asked / folds if folds else 0.0
    return Corpus(max(2, int(pairs + 2 * queries)), sentences, size.tokens, dev, size.tokens)


def count_own(path: Path) -> int:
    """Return the pairs of a user's file, a line each; of a packed or missing one, a guess."""
    if not path.is_file() or path.suffix.lower() in PACKED:
        return UNKNOWN_PAIRS
    with open(path, "rb") as lines:
        header = path.suffix in (".csv", ".tsv")
        return max(1, sum(1 for _ in lines) - header)
