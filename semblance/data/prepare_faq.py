"""From the raw files of a FAQ bank to its folds: training corpora, dev questions, test questions."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from semblance.data import folds
from semblance.data.arrow import write_parquet
from semblance.data.corpus_rows import write_corpus_rows
from semblance.data.faq import Faq, unique_answers
from semblance.data.raw import Raw
from semblance.errors import InputError
from semblance.layout import fold_corpus
from semblance.named_modules import BANKS, load_module

OWN = "own"  # the format whose bank is a file of the user's and no data set of the manifest
PAIRS = "pairs"  # each pair asks its own question; one answer is right
ANNOTATED = "annotated"  # users' own queries; every answer judged relevant is right


@dataclass(frozen=True)
class BankSettings:
    """A FAQ bank: its format, where it comes from, and its split."""

    name: str
    kind: str
    folds: int
    seed: int
    dataset: str | None = None
    path: str | None = None


@dataclass(frozen=True)
class FaqFolders:
    """Where a bank goes: ``bank`` is a folder; ``corpora`` and ``dev`` hold a folder for each fold."""

    bank: Path
    corpora: Path
    dev: Path


def read_bank(raw: Raw, settings: BankSettings) -> Faq:
    """Read a FAQ bank in its own format, and check its counts.

    The format is a module of ``semblance/data/banks``. Its ``read`` takes the raw files and the name
    of a data set; of kind ``own``, the path of the user's file.
    """
    if (settings.kind == OWN) != bool(settings.path):
        raise InputError("bank.path", "a bank of kind own needs it, and no other kind takes it")
    reader = load_module(BANKS, settings.kind, "bank.kind")
    if settings.path:
        return reader.read(raw, settings.path)
    name = settings.dataset or settings.name
    bank = reader.read(raw, name)
    raw.check(name, **bank.counts())
    return bank


def write_folds(bank: Faq, settings: BankSettings, to: FaqFolders) -> dict[str, int]:
    """Write a bank's answers and questions, and each fold's training corpus and dev questions.

    A pair and a query of one group share their part, so that no fold tests what it trained on. Of
    fold k the test part is part k, the dev part is the next one in rotation, and the rest is
    trained on; the dev questions are those of the pairs. Returns the bank's counts.
    """
    answers, number = unique_answers(bank)
    groups = [pair.group for pair in bank.pairs] + [query.group for query in bank.queries]
    parts = folds.split_groups(groups, settings.folds, settings.seed)
    questions = list(_questions(bank, parts, number))
    _write_bank(to.bank, answers, questions)
    for k, fold in enumerate(folds.rotate(parts[: len(bank.pairs)], settings.folds)):
        name = fold_corpus(settings.name, k)
        dev = [questions[i] for i in fold.dev]
        _write_bank(to.dev / name, answers, dev)
        pairs = [bank.pairs[i] for i in fold.train]
        rows = [(pair.question, answers[number[pair.id]], None) for pair in pairs]
        write_corpus_rows(to.corpora / name, list(dict.fromkeys(rows)))
    counts = {"pairs": len(bank.pairs), "answers": len(answers), "queries": len(bank.queries)}
    for protocol in (PAIRS, ANNOTATED):
        asked = sum(question["protocol"] == protocol for question in questions)
        counts[f"questions, {protocol}"] = asked
    return counts


def _questions(bank: Faq, parts: list[int], number: dict[str, int]) -> Iterator[dict]:
    """Yield the questions of the pairs, in the order of the pairs, then the users' queries.

    A query without a relevant answer cannot be scored and is left out.
    """
    count = len(bank.pairs)
    for pair, part in zip(bank.pairs, parts[:count], strict=True):
        yield _question(PAIRS, pair.id, pair.question, part, [number[pair.id]])
    for query, part in zip(bank.queries, parts[count:], strict=True):
        if query.relevant:
            relevant = sorted({number[key] for key in query.relevant})
            yield _question(ANNOTATED, query.id, query.text, part, relevant)


def _question(protocol: str, identity: str, text: str, part: int, relevant: list[int]) -> dict:
    return {"protocol": protocol, "id": identity, "text": text, "part": part, "relevant": relevant}


def _write_bank(folder: Path, answers: list[str], questions: list[dict]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    write_parquet(pa.table({"text": answers}), folder / "answers.parquet")
    write_parquet(pa.Table.from_pylist(questions), folder / "questions.parquet")
