"""How large a FAQ bank is, and what its folds train on and are asked."""

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from semblance.errors import InputError
from semblance.named_modules import OWN_FAQ
from workflow.costing.lines import UNKNOWN_PAIRS, count_own

LARGEST_READ = 4_000_000  # bytes of a user's file that is read before a run, a tenth of a second
TOKENS_OF_WORD = 1.3  # WordPiece, English


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


def bank_size(bank: Mapping[str, Any], counts: Mapping[str, int]) -> BankSize:
    """Return the size of a bank: of a user's own file as it is, else as the manifest ``counts``."""
    if "path" in bank:
        return _own_size(bank)
    queries = counts.get("queries", 0)
    return BankSize(counts.get("pairs", counts.get("answers", UNKNOWN_PAIRS)), queries, queries)


def _own_size(bank: Mapping[str, Any]) -> BankSize:
    """Return the size of a user's file; a guess for a large file, and for one that is malformed."""
    path = Path(bank["path"])
    try:
        if path.stat().st_size <= LARGEST_READ:
            return _read_size(bank)
    except (InputError, OSError):
        pass  # the stage that reads it says what is wrong
    return BankSize(count_own(path))


def _read_size(bank: Mapping[str, Any]) -> BankSize:
    columns = {"question": "question_column", "answer": "answer_column"}
    given = {role: bank[key] for role, key in columns.items() if key in bank}
    faq = importlib.import_module(OWN_FAQ).read_own(bank["path"], given, bank.get("queries_path"))
    words = sum(len(text.split()) for p in faq.pairs for text in (p.question, p.answer))
    tokens = 2 + TOKENS_OF_WORD * words / (2 * len(faq.pairs))
    rights = sum(len(query.relevant) for query in faq.queries)
    return BankSize(len(faq.pairs), len(faq.queries), rights, tokens)


def fold_size(bank: Mapping[str, Any], size: BankSize, folds: int) -> FoldSize:
    """Return the size of a fold, which trains on all parts but one for dev and one for test."""
    kept = (folds - 2) / folds
    if bank.get("hold_out") == "wordings":
        asked = size.pairs + size.queries / folds
        return _trained(bank, size, 1, kept)._replace(dev=asked, test=asked)
    dev = size.pairs + size.pairs / folds
    return _trained(bank, size, kept, kept)._replace(dev=dev, test=dev + size.queries / folds)


def whole_size(bank: Mapping[str, Any], size: BankSize) -> FoldSize:
    """Return the size of the corpus of a whole bank, on which nothing is asked."""
    return _trained(bank, size, 1, 1)


def _trained(bank: Mapping[str, Any], size: BankSize, pairs: float, queries: float) -> FoldSize:
    """Return what is trained on: these shares of the pairs and of the users' queries.

    A query makes two rows with each right answer: one with the answer, one with its question.
    """
    if bank.get("train_on") != "wordings":
        queries = 0
    rows = int(size.pairs * pairs + 2 * size.rights * queries)
    return FoldSize(max(2, rows), size.pairs * pairs, size.queries * queries)
