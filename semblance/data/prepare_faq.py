"""From the raw files of a FAQ bank to its folds: training corpora, dev questions, test questions."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from semblance.data.arrow import write_parquet
from semblance.data.corpus import write_rows
from semblance.data.faq import (
    ANSWER,
    KNOWN,
    QUESTION,
    WORDING,
    Faq,
    FaqQuery,
    Split,
    dev_part,
    new_wordings,
    split_bank,
    unique_answers,
)
from semblance.data.raw import Raw
from semblance.errors import InputError
from semblance.layout import BANK_ENTRIES, fold_corpus, whole_corpus
from semblance.named_modules import BANKS, load_module
from semblance.settings import HoldOut, Together, TrainOn

OWN = "own"  # the format whose bank is a file of the user's and no data set of the manifest
OF_OWN = ("queries_path", "question_column", "answer_column")  # settings of such a bank alone
PAIRS = "pairs"  # each pair asks its own question; one answer is right
ANNOTATED = "annotated"  # users' own queries; every answer judged relevant is right
# The third protocol is WORDING: the same queries, where a fold holds out wordings of entries that it
# knows. ANSWER, QUESTION and WORDING are also what a text says of an answer: kinds of candidates.
ENTRY = pa.schema(
    [(name, pa.string()) for name in ("id", "question", "answer")]
    + [("wordings", pa.list_(pa.string()))]
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


@dataclass(frozen=True)
class FaqFolders:
    """Where a bank goes: ``bank`` is a folder; ``corpora`` and ``dev`` hold a folder for each fold."""

    bank: Path
    corpora: Path
    dev: Path


def read_bank(raw: Raw, settings: BankSettings) -> Faq:
    """Read a FAQ bank in its own format, and check its counts.

    The format is a module found by its name (``BANKS``). Its ``read`` takes the raw files and the name
    of a data set; of kind ``own``, the path of the user's file and the settings ``OF_OWN``.
    """
    reader = load_module(BANKS, settings.kind, "bank.kind")
    if settings.kind == OWN:
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
        new = len(new_wordings(bank))
        if new < settings.folds:
            problem = (
                f"{new} wordings of users, of which hold_out: wordings makes {settings.folds} parts"
            )
            advice = "add queries to the file, or hold out entries"
            raise InputError(settings.path or settings.name, problem, advice)
    prepared = _Prepared(bank, settings)
    questions = prepared.questions()
    _write_bank(to.bank, prepared.answers, questions)
    candidates = pa.Table.from_pylist(prepared.candidates())
    write_parquet(candidates, to.bank / "candidates.parquet")
    write_parquet(pa.Table.from_pylist(prepared.entries(), ENTRY), to.bank / BANK_ENTRIES)
    of_dev = [q for q in questions if q["protocol"] in (PAIRS, WORDING)]
    for fold in range(settings.folds):
        name = fold_corpus(settings.name, fold)
        held_out = (fold, dev_part(fold, settings.folds))
        dev = [question for question in of_dev if question["part"] == held_out[1]]
        _write_bank(to.dev / name, prepared.answers, dev)
        prepared.write_corpus(to.corpora / name, held_out)
    prepared.write_corpus(to.corpora / whole_corpus(settings.name), ())
    counts = {
        "pairs": len(bank.pairs),
        "answers": len(prepared.answers),
        "queries": len(bank.queries),
    }
    of_protocol = Counter(question["protocol"] for question in questions)
    return counts | {f"questions, {p}": of_protocol[p] for p in (PAIRS, ANNOTATED, WORDING)}


class _Prepared:
    """A bank whose pairs and queries know their parts, and whose distinct answers are numbered.

    A query without a relevant answer can neither be scored nor trained on, and is left out.
    """

    def __init__(self, bank: Faq, settings: BankSettings):
        self.settings = settings
        self.answers, self.number = unique_answers(bank)
        split = Split(settings.folds, settings.seed, settings.hold_out, settings.together)
        of_pairs, of_queries = split_bank(bank, split)
        self.pairs = list(zip(bank.pairs, of_pairs, strict=True))
        queries = zip(bank.queries, of_queries, strict=True)
        self.queries = [(query, part) for query, part in queries if query.relevant]

    def questions(self) -> list[dict]:
        """Return the questions of the pairs, in the order of the pairs, then the users' queries.

        Where wordings are held out, none is a question that every fold knows.
        """
        if self.settings.hold_out == "wordings":
            return [self._question(WORDING, q, part) for q, part in self.queries if part != KNOWN]
        rows = []
        for pair, part in self.pairs:
            query = FaqQuery(pair.id, pair.question, pair.group, (pair.id,))
            rows.append(self._question(PAIRS, query, part))
        return [*rows, *(self._question(ANNOTATED, q, part) for q, part in self.queries)]

    def _question(self, protocol: str, query: FaqQuery, part: int) -> dict:
        question = {"protocol": protocol, "id": query.id, "text": query.text, "group": query.group}
        return {**question, "part": part, "relevant": self._numbers(query)}

    def _numbers(self, query: FaqQuery) -> list[int]:
        """Return the numbers of the answers relevant to a query, ascending."""
        return sorted({self.number[key] for key in query.relevant})

    def candidates(self) -> list[dict]:
        """Return the texts that stand for the answers: themselves, questions, users' wordings."""
        rows = [(number, ANSWER, text, KNOWN) for number, text in enumerate(self.answers)]
        for pair, part in self.pairs:
            rows.append((self.number[pair.id], QUESTION, pair.question, part))
        for query, part in self.queries:
            rows += [(number, WORDING, query.text, part) for number in self._numbers(query)]
        names = ("answer", "kind", "text", "part")
        return [dict(zip(names, candidate, strict=True)) for candidate in rows]

    def entries(self) -> list[dict]:
        """Return the pairs as they are answered from, each with the users' wordings of it."""
        wordings: dict[str, list[str]] = {pair.id: [] for pair, _ in self.pairs}
        for query, _ in self.queries:
            for key in query.relevant:
                wordings[key].append(query.text)
        rows = []
        for pair, _ in self.pairs:
            entry = {"id": pair.id, "question": pair.question, "answer": pair.answer}
            rows.append(entry | {"wordings": wordings[pair.id]})
        return rows

    def write_corpus(self, folder: Path, held_out: Collection[int]) -> None:
        """Write the training rows of a fold that holds out some parts.

        A user's query has a row with each right answer, and with each question that means the same.
        """
        rows: list[Row] = []
        known = {pair.id: pair for pair, part in self.pairs if part not in held_out}
        for pair in known.values():
            number = self.number[pair.id]
            rows.append((pair.question, self.answers[number], None))
        for query, part in self.queries:
            # The papers never train on users' queries (R46).
            if self.settings.train_on == "questions" or part in held_out:
                continue
            for pair in (known[key] for key in query.relevant if key in known):
                number = self.number[pair.id]
                rows.append((query.text, self.answers[number], None))
                if pair.question != query.text:
                    rows.append((query.text, pair.question, None))
        write_rows(folder, list(dict.fromkeys(rows)))


def _write_bank(folder: Path, answers: list[str], questions: list[dict]) -> None:
    write_parquet(pa.table({"text": answers}), folder / "answers.parquet")
    write_parquet(pa.Table.from_pylist(questions), folder / "questions.parquet")
