"""How large the data of a config are: rows, sentences, tokens, pairs of banks and of their folds.

By the manifest's counts, and by the user's own files.
"""

import importlib
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from semblance.config import inputs
from semblance.config.inputs import Bank, DatasetBank, Nli, OwnBank, Pairs
from semblance.errors import InputError
from semblance.fetch.manifest import Dataset
from semblance.named_modules import OWN_FAQ
from workflow.planning.plan import Plan

BLOCK = 1 << 20  # bytes that are read at once
WORKBOOKS = (".xlsx", ".xlsm")  # a FAQ whose file does not show its rows as lines
UNKNOWN_PAIRS = 1000  # of a FAQ bank whose data set states no counts
LARGEST_READ = 4_000_000  # bytes of a user's file that is read before a run, a tenth of a second
TOKENS_OF_WORD = 1.3  # WordPiece, English
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


class BankSize(NamedTuple):
    """The question-answer pairs of a bank, users' queries, and the right answers of all queries.

    ``tokens`` is the mean number of tokens of a question or an answer; None where it is not known.
    """

    pairs: int
    queries: int = 0
    rights: int = 0
    tokens: float | None = None


class FoldSize(NamedTuple):
    """The rows of a training corpus, the pairs and queries in it, the texts that dev and test read."""

    rows: int
    pairs: float
    queries: float
    dev: float = 0
    test: float = 0


class Sizes:
    """The sizes of the data of one plan; ``kinds`` is the section ``texts`` of rates.yaml."""

    def __init__(self, plan: Plan, manifest: Mapping[str, Dataset], kinds: dict[str, Any]):
        self.manifest = manifest
        self.kinds = kinds
        sts = plan.config.sts
        self.sts_tests = sum(self._pairs(name, "pairs", "test") for name in sts.datasets)
        # SICK calls it trial
        self.sts_dev = self._pairs(sts.dev, "dev", "trial")
        self.sts = self._texts("sts", self.sts_tests + self.sts_dev)
        self.transfer_counts = {n: self._counts(n) for n in plan.config.transfer.datasets}
        items = sum(sum(counts.values()) for counts in self.transfer_counts.values())
        self.transfer = self._texts("transfer", items)
        self.banks = {
            name: bank_size(bank, self._counts(getattr(bank, "dataset", "")))
            for name, bank in plan.banks.items()
        }
        self.corpora = {name: self._corpus(c) for name, c in plan.config.corpora.items()}
        for fold, (bank, _) in plan.folds_of.items():
            size = self.banks[bank]
            found = fold_size(plan.banks[bank], size, plan.folds)
            self.corpora[fold] = self._of_bank(found, size)
        for whole, bank in plan.wholes.items():
            size = self.banks[bank]
            self.corpora[whole] = self._of_bank(trained_size(plan.banks[bank], size, 1, 1), size)

    def _corpus(self, entry: inputs.Corpus) -> Corpus:
        rows = sum(self._rows(entry, dataset) for dataset in entry.datasets)
        rows = max(2, min(rows or UNKNOWN_ROWS, entry.limit or math.inf))
        texts = self._texts(entry.prepared_as, rows)
        negatives = 0
        if isinstance(entry, Nli):
            negatives = 1 + bool(entry.neutral)
        return Corpus(rows, texts, self._texts("sts", self.sts_dev), self.sts, negatives)

    def _rows(self, entry: inputs.Corpus, dataset: str) -> int:
        """Return how many rows a corpus gets from a data set; 0 where no count says it."""
        counts = self._counts(dataset)
        if isinstance(entry, Pairs):
            pairs = counts.get("train", counts.get("pairs", 0))
            return round(pairs * len(entry.labels or ALL_LABELS) / len(ALL_LABELS))
        triples = round(TRIPLES_OF_PAIRS * counts.get("train", 0))
        sentences = counts.get("sentences", counts.get("lines", triples))
        return counts.get("triples", sentences)

    def _pairs(self, name: str, *counts: str) -> int:
        """Return the pairs of an STS set: as the first of these counts that is known says."""
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
        return sum(size for size in self._file_sizes(dataset) if size is not None) / 1e6

    def unknown(self, dataset: str) -> int:
        """Return how many files of a data set have a size that the manifest does not state."""
        return self._file_sizes(dataset).count(None)

    def _file_sizes(self, dataset: str) -> list[int | None]:
        if dataset not in self.manifest:
            return [None]
        found = self.manifest[dataset]
        return [file.size for file in (*found.files, *found.archives)]


def bank_size(bank: Bank, counts: Mapping[str, int]) -> BankSize:
    """Return the size of a bank, as the manifest ``counts``, or of a user's own file as it is.

    Of a large file, and of one that is malformed, it is a guess.
    """
    if isinstance(bank, DatasetBank):
        queries = counts.get("queries", 0)
        return BankSize(counts.get("pairs", counts.get("answers", UNKNOWN_PAIRS)), queries, queries)
    path = Path(bank.path)
    try:
        if path.stat().st_size <= LARGEST_READ:
            return _read_size(bank)
    except (InputError, OSError):
        pass  # the stage that reads it says what is wrong
    return BankSize(count_own(path))


def _read_size(bank: OwnBank) -> BankSize:
    columns = {"question": bank.question_column, "answer": bank.answer_column}
    given = {role: column for role, column in columns.items() if column is not None}
    faq = importlib.import_module(OWN_FAQ).read_own(bank.path, given, bank.queries_path)
    words = sum(len(text.split()) for p in faq.pairs for text in (p.question, p.answer))
    tokens = 2 + TOKENS_OF_WORD * words / (2 * len(faq.pairs))
    rights = sum(len(query.relevant) for query in faq.queries)
    return BankSize(len(faq.pairs), len(faq.queries), rights, tokens)


def fold_size(bank: Bank, size: BankSize, folds: int) -> FoldSize:
    """Return the size of a fold, which trains on all parts but one for dev and one for test."""
    kept = (folds - 2) / folds
    if bank.hold_out == "wordings":
        asked = size.pairs + size.queries / folds
        return trained_size(bank, size, 1, kept)._replace(dev=asked, test=asked)
    dev = size.pairs + size.pairs / folds
    return trained_size(bank, size, kept, kept)._replace(dev=dev, test=dev + size.queries / folds)


def trained_size(bank: Bank, size: BankSize, pairs: float, queries: float) -> FoldSize:
    """Return what is trained on: these shares of the pairs and of the users' queries.

    A query makes two rows with each right answer: one with the answer, one with its question.
    """
    if bank.train_on != "wordings":
        queries = 0
    rows = int(size.pairs * pairs + 2 * size.rights * queries)
    return FoldSize(max(2, rows), size.pairs * pairs, size.queries * queries)


def count_own(path: Path) -> int:
    """Return the pairs of a user's file, a line each; of a packed or missing one, a guess."""
    if not path.is_file() or path.suffix.lower() in WORKBOOKS:
        return UNKNOWN_PAIRS
    lines = count_lines(path)
    if path.suffix == ".gz":
        return max(UNKNOWN_PAIRS, lines)
    if path.suffix in (".csv", ".tsv"):
        lines -= 1  # the header
    return max(1, lines)


def count_lines(path: Path) -> int:
    """Return the number of line ends of a file, which may be larger than the memory."""
    with open(path, "rb") as stream:
        blocks = iter(lambda: stream.read(BLOCK), b"")
        return sum(block.count(b"\n") for block in blocks)
