"""The rankings of finished FAQ evaluations."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from semblance import layout
from semblance.data.arrow import read_parquet
from semblance.data.text import normalise
from semblance.errors import InputError
from semblance.evaluation.prepared import Bank, read_bank
from semblance.names import FAQ_DEV
from semblance.provenance import checked, input_digests, outputs_digest, read_sealed

PREDICTIONS = "predictions.parquet"
ENTRIES = "entries.parquet"  # of a prepared bank
COLUMNS = ("protocol", "query", "ranks", "top", "top_scores")
AGAIN = "semblance run makes it again"
# What a reader of such columns gives a meaning: quotation marks, the sign of the encoding.
MEANING = frozenset("%\"'")
NOT_SHOWN = frozenset("CZ")  # Unicode's categories of control characters and of separators


class RankedQuery(NamedTuple):
    """A question, and the numbers of its right and of its best answers with their scores.

    ``ranks`` are those of the right answers in the whole ranking, ascending.
    """

    id: str
    relevant: tuple[int, ...]
    ranks: tuple[int, ...]
    top: tuple[int, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True)
class RankedTest:
    """The test questions of one protocol; ``name`` says which model ranked.

    ``documents`` are the answers of the bank: of each, the encoded id of the first entry that has it.
    """

    protocol: str
    name: str
    documents: tuple[str, ...]
    queries: tuple[RankedQuery, ...]


@dataclass(frozen=True)
class _Evaluation:
    """One evaluation: what ranked, on which bank, and the rows of its predictions."""

    path: Path
    what: tuple[str, ...]
    bank: Path
    bank_digest: str
    rows: list[dict[str, Any]]


def read_rankings(folders: Sequence[str | Path]) -> list[RankedTest]:
    """Return the tests of the evaluations in some folders: the folds of one model, or one of them.

    The dev questions are left out: another fold tests them. Raises InputError for folders of
    different models or banks, for a fold that is named twice, and for a bank that has changed.
    """
    evaluations = [_read(Path(folder)) for folder in folders]
    first = evaluations[0]
    for other in evaluations[1:]:
        if (other.what, other.bank, other.bank_digest) != (
            first.what,
            first.bank,
            first.bank_digest,
        ):
            problem = f"is not of the same bank, model and ranking as {first.path}"
            raise InputError(other.path, problem, "export each of them by itself")
    bank = _read_bank(first)
    documents = _documents(first.bank, bank)
    found: dict[str, dict[str, RankedQuery]] = {}
    for evaluation in evaluations:
        for protocol, query in _queries(evaluation, bank):
            asked = found.setdefault(protocol, {})
            if query.id in asked:
                raise InputError(evaluation.path, f"asks {query.id} again", "name each fold once")
            asked[query.id] = query
    name = encoded("/".join(first.what[:3]))
    return [
        RankedTest(protocol, name, documents, tuple(asked.values()))
        for protocol, asked in found.items()
    ]


def _read(folder: Path) -> _Evaluation:
    path = folder / layout.RECORD
    if not path.is_file():
        advice = f"name a folder such as results/{layout.FAQ_SCORES}"
        raise InputError(folder, "is no result of an evaluation on a FAQ", advice)
    if read_sealed(path).get("stage") != "evaluate_faq":
        raise InputError(path, "is not of an evaluation on a FAQ", "name one of scores/faq")
    record = checked(path, PREDICTIONS)
    run = record["run"]
    corpus = layout.parse(layout.FOLD_CORPUS, run["corpus"])
    if corpus is None:
        raise InputError(path, f"its corpus, {run['corpus']}, is no fold of a bank", AGAIN)
    root = _root(folder.resolve(), layout.place("", layout.FAQ_SCORES, **run))
    ranking = str(record.get("settings", {}).get("ranking"))
    return _Evaluation(
        path=path,
        what=(run["base"], run["method"], f"seed-{run['seed']}", ranking),
        bank=Path(layout.place(root, layout.BANK, bank=corpus["bank"])),
        bank_digest=input_digests(record)["data"],
        rows=read_parquet(folder / PREDICTIONS, COLUMNS).to_pylist(),
    )


def _root(folder: Path, place: str) -> str:
    """Return the output folder of a run, below which an evaluation lies in its place."""
    path = folder.as_posix()
    if not path.endswith(place):
        raise InputError(folder, f"lies no longer in {place[1:]}", "name it where it was made")
    return path.removesuffix(place)


def _read_bank(evaluation: _Evaluation) -> Bank:
    """Read the bank of an evaluation; InputError if it has changed since."""
    path = evaluation.bank / layout.RECORD
    if outputs_digest(checked(path)) != evaluation.bank_digest:
        raise InputError(evaluation.path, f"is of another bank than {path}", AGAIN)
    return read_bank(evaluation.bank)


def _documents(folder: Path, bank: Bank) -> tuple[str, ...]:
    """Return the ids of the answers in the order of their numbers."""
    ids: dict[str, str] = {}
    for row in read_parquet(folder / ENTRIES, ("id", "answer")).to_pylist():
        ids.setdefault(normalise(row["answer"]), encoded(row["id"]))
    return tuple(ids[text] for text in bank.answers)


def _queries(evaluation: _Evaluation, bank: Bank) -> Iterable[tuple[str, RankedQuery]]:
    """Yield the protocol and the ranking of each test question."""
    questions = {(each.protocol, each.id): each for each in bank.questions}
    for row in evaluation.rows:
        if row["protocol"] == FAQ_DEV:
            continue
        question = questions[row["protocol"], row["query"]]
        ranked = RankedQuery(
            encoded(question.id),
            question.relevant,
            tuple(row["ranks"]),
            tuple(row["top"]),
            tuple(row["top_scores"]),
        )
        yield question.protocol, ranked


def encoded(identity: str) -> str:
    """Return an id that is one word in every column; ``urllib.parse.unquote`` gives the id back.

    White space, characters that are not shown, quotation marks and % become %XX, the bytes of
    their UTF-8; two ids never become one. Raises InputError for an empty id.
    """
    if not identity:
        raise InputError("export", "an id is empty", "fill it in and run the evaluation again")
    return "".join(_encoded_character(character) for character in identity)


def _encoded_character(character: str) -> str:
    hidden = character.isspace() or unicodedata.category(character)[0] in NOT_SHOWN
    if hidden or character in MEANING:
        return quote(character, safe="")
    return character
