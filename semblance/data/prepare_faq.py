"""From the raw files of a FAQ bank to its folds: training corpora, dev questions, test questions."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pyarrow as pa

from semblance.data import folds
from semblance.data.arrow import write_parquet
from semblance.data.corpus_rows import write_corpus_rows
from semblance.data.faq import Faq, FaqQuery, unique_answers
from semblance.data.faq_parts import (
    KNOWN,
    HoldOut,
    Parts,
    Split,
    Together,
    new_wordings,
    split_bank,
)
from semblance.data.fold_texts import ANSWER, QUESTION, WORDING, FoldText, write_texts
from semblance.data.raw import Raw
from semblance.errors import InputError
from semblance.layout import fold_corpus, whole_corpus
from semblance.named_modules import BANKS, load_module

OWN = "own"  # the format whose bank is a file of the user's and no data set of the manifest
OF_OWN = ("queries_path", "question_column", "answer_column")  # settings of such a bank alone
PAIRS = "pairs"  # each pair asks its own question; one answer is right
ANNOTATED = "annotated"  # users' own queries; every answer judged relevant is right
# The third protocol is WORDING: the same queries, where a fold holds out wordings of entries that it
# knows. ANSWER, QUESTION and WORDING are also what a text says of an answer: kinds of candidates.
TrainOn = Literal["questions", "wordings"]
ENTRY = pa.schema(
    [
        ("id", pa.string()),
        ("question", pa.string()),
        ("answer", pa.string()),
        ("wordings", pa.list_(pa.string())),
    ]
)
Row = tuple[str, str, None]  # of a training corpus: a question, what answers it, no contradiction


@dataclass(frozen=True)
class BankSettings:
    """A FAQ bank: its format, where it comes from, its split, and what its folds train on.

    Of a user's own file (``path``) also: the file of queries, and the names of its columns.
    """

    name: str
    kind: str
    folds: int
    seed: int
    dataset: str | None = None
    path: str | None = None
    queries_path: str | None = None
    question_column: str | None = None
    answer_column: str | None = None
    hold_out: HoldOut = "entries"
    together: Together = "group"
    train_on: TrainOn = "questions"

    @property
    def split(self) -> Split:
        """How it is split."""
        return Split(self.folds, self.seed, self.hold_out, self.together)


@dataclass(frozen=True)
class FaqFolders:
    """Where a bank goes: ``bank`` is a folder; ``corpora`` and ``dev`` hold a folder for each fold."""

    bank: Path
    corpora: Path
    dev: Path


def read_bank(raw: Raw, settings: BankSettings) -> Faq:
    """Read a FAQ bank in its own format, and check its counts.

    The format is a module of ``semblance/data/banks``. Its ``read`` takes the raw files and the name
    of a data set; of kind ``own``, the path of the user's file and the settings ``OF_OWN``.
    """
    if (settings.kind == OWN) != bool(settings.path):
        raise InputError("bank.path", "a bank of kind own needs it, and no other kind takes it")
    for key in OF_OWN:
        if settings.kind != OWN and getattr(settings, key) is not None:
            raise InputError(f"bank.{key}", "has no effect here", "it belongs to kind: own")
    reader = load_module(BANKS, settings.kind, "bank.kind")
    if settings.path:
        own = {key: getattr(settings, key) for key in OF_OWN}
        return reader.read(raw, settings.path, **own)
    name = settings.dataset or settings.name
    bank = reader.read(raw, name)
    raw.check(name, **bank.counts())
    return bank


def write_folds(bank: Faq, settings: BankSettings, to: FaqFolders) -> dict[str, int]:
    """Write a bank's answers, entries, questions and candidates, and the corpora of its folds.

    Of fold k the test part is part k, the dev part is the next one in rotation, and the rest is
    trained on. The dev questions are those of the pairs, or users' wordings where the bank holds
    these out. One more corpus holds nothing out. Returns the bank's counts.
    """
    if settings.hold_out == "wordings":
        _refuse_few(bank, settings)
    prepared = _Prepared(bank, settings)
    questions = prepared.questions()
    _write_bank(to.bank, prepared.answers, questions)
    candidates = pa.Table.from_pylist(prepared.candidates())
    write_parquet(candidates, to.bank / "candidates.parquet")
    write_parquet(pa.Table.from_pylist(prepared.entries(), ENTRY), to.bank / "entries.parquet")
    asked_on_dev = [q for q in questions if q["protocol"] in (PAIRS, WORDING)]
    for fold in range(settings.folds):
        name = fold_corpus(settings.name, fold)
        held_out = (fold, folds.dev_part(fold, settings.folds))
        dev = [question for question in asked_on_dev if question["part"] == held_out[1]]
        _write_bank(to.dev / name, prepared.answers, dev)
        _write_corpus(to.corpora / name, prepared, held_out)
    _write_corpus(to.corpora / whole_corpus(settings.name), prepared, ())
    return prepared.counts(questions)


def _refuse_few(bank: Faq, settings: BankSettings) -> None:
    """Raise InputError for a bank whose wordings are too few to hold some out."""
    new = len(new_wordings(bank))
    if new < settings.folds:
        problem = (
            f"{new} wordings of users, of which hold_out: wordings makes {settings.folds} parts"
        )
        advice = "add queries to the file, or hold out entries"
        raise InputError(settings.path or settings.name, problem, advice)


class _Prepared:
    """A bank whose pairs and queries know their parts, and whose distinct answers are numbered.

    A query without a relevant answer can neither be scored nor trained on, and is left out.
    """

    def __init__(self, bank: Faq, settings: BankSettings):
        self.bank = bank
        self.settings = settings
        self.answers, self.number = unique_answers(bank)
        self.parts: Parts = split_bank(bank, settings.split)
        self.pair_of = {pair.id: pair for pair in bank.pairs}
        self.pairs = list(zip(bank.pairs, self.parts.pairs, strict=True))
        asked = zip(bank.queries, self.parts.queries, strict=True)
        self.queries = [(query, part) for query, part in asked if query.relevant]

    def questions(self) -> list[dict]:
        """Return the questions of the pairs, in the order of the pairs, then the users' queries.

        Where wordings are held out, none is a question that every fold knows.
        """
        if self.settings.hold_out == "wordings":
            return [self._question(WORDING, q, part) for q, part in self.queries if part != KNOWN]
        found = []
        for pair, part in self.pairs:
            asked = FaqQuery(pair.id, pair.question, pair.group, (pair.id,))
            found.append(self._question(PAIRS, asked, part))
        return [*found, *(self._question(ANNOTATED, q, part) for q, part in self.queries)]

    def _question(self, protocol: str, query: FaqQuery, part: int) -> dict:
        relevant = sorted({self.number[key] for key in query.relevant})
        question = {"protocol": protocol, "id": query.id, "text": query.text, "group": query.group}
        return {**question, "part": part, "relevant": relevant}

    def candidates(self) -> list[dict]:
        """Return the texts that stand for the answers: themselves, questions, users' wordings."""
        found = [
            _candidate(number, ANSWER, text, KNOWN) for number, text in enumerate(self.answers)
        ]
        for pair, part in self.pairs:
            found.append(_candidate(self.number[pair.id], QUESTION, pair.question, part))
        for query, part in self.queries:
            for number in sorted({self.number[key] for key in query.relevant}):
                found.append(_candidate(number, WORDING, query.text, part))
        return found

    def entries(self) -> list[dict]:
        """Return the pairs as they are answered from, each with the users' wordings of it."""
        wordings: dict[str, list[str]] = {pair.id: [] for pair in self.bank.pairs}
        for query, _ in self.queries:
            for key in query.relevant:
                wordings[key].append(query.text)
        return [
            {
                "id": pair.id,
                "question": pair.question,
                "answer": pair.answer,
                "wordings": wordings[pair.id],
            }
            for pair in self.bank.pairs
        ]

    def rows(self, held_out: Collection[int]) -> Iterator[Row]:
        """Yield the training rows of a fold that holds out some parts."""
        for pair, part in self.pairs:
            if part not in held_out:
                yield pair.question, self.answers[self.number[pair.id]], None
        if self.settings.train_on == "wordings":
            known = {pair.id for pair, part in self.pairs if part not in held_out}
            for query, part in self.queries:
                if part not in held_out:
                    yield from self._rows_of_query(query, known)

    def _rows_of_query(self, query: FaqQuery, known: Collection[str]) -> Iterator[Row]:
        """Yield a query with each right answer, and with each question that means the same."""
        for key in query.relevant:
            if key in known:
                pair = self.pair_of[key]
                yield query.text, self.answers[self.number[key]], None
                if pair.question != query.text:
                    yield query.text, pair.question, None

    def texts(self, held_out: Collection[int]) -> Iterator[FoldText]:
        """Yield what the texts of a fold's training rows stand for."""
        known = {pair.id: pair for pair, part in self.pairs if part not in held_out}
        for pair in known.values():
            number = self.number[pair.id]
            yield FoldText(self.answers[number], ANSWER, number, pair.group)
            yield FoldText(pair.question, QUESTION, number, pair.group)
        if self.settings.train_on == "wordings":
            for query, part in self.queries:
                for key in query.relevant:
                    if part not in held_out and key in known:
                        yield FoldText(query.text, WORDING, self.number[key], known[key].group)

    def counts(self, questions: list[dict]) -> dict[str, int]:
        """Return the counts of the bank, and of the questions of each protocol."""
        bank = self.bank
        counts = {
            "pairs": len(bank.pairs),
            "answers": len(self.answers),
            "queries": len(bank.queries),
        }
        for protocol in (PAIRS, ANNOTATED, WORDING):
            asked = sum(question["protocol"] == protocol for question in questions)
            counts[f"questions, {protocol}"] = asked
        return counts


def _candidate(answer: int, kind: str, text: str, part: int) -> dict:
    return {"answer": answer, "kind": kind, "text": text, "part": part}


def _write_corpus(folder: Path, prepared: _Prepared, held_out: Collection[int]) -> None:
    """Write the rows of a fold that holds out some parts, and what their texts stand for."""
    write_corpus_rows(folder, list(dict.fromkeys(prepared.rows(held_out))))
    write_texts(folder, prepared.texts(held_out))


def _write_bank(folder: Path, answers: list[str], questions: list[dict]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    write_parquet(pa.table({"text": answers}), folder / "answers.parquet")
    write_parquet(pa.Table.from_pylist(questions), folder / "questions.parquet")
