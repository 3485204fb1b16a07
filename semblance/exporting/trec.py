"""FAQ rankings of finished evaluations as TREC's tools read them.

These are a run, judgements (qrels), and our own measures by ir_measures' names. A run holds the best
answers of each question, as many as an evaluation keeps. A right answer below them counts as not
found there, so the run's AP and RR may be lower than the whole ranking's.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import NamedTuple
from urllib.parse import quote

import numpy as np

from semblance import layout
from semblance.csv_rows import rows_csv
from semblance.data.arrow import read_parquet
from semblance.data.text import normalise
from semblance.errors import InputError
from semblance.evaluation.metrics import accuracy_at, average_precision
from semblance.evaluation.prepared import Bank, read_bank
from semblance.files import write_text
from semblance.layout import BANK_ENTRIES, PREDICTIONS
from semblance.names import FAQ_CUTOFFS, FAQ_DEV
from semblance.provenance import checked, input_digests, outputs_digest, read_sealed

COLUMNS = ("protocol", "query", "ranks", "top", "top_scores")
# What a reader of such columns gives a meaning: quotation marks, the sign of the encoding.
MEANING = frozenset("%\"'")
INVISIBLE = frozenset("CZ")  # Unicode's categories of control characters and of separators
# trec_eval ranks by the score in single precision, and equal ones by their ids. So each score is
# written at least this much below the one before it: four times what single precision resolves.
STEP = 2.0**-21  # of the score before it
LEAST_STEP = 1e-9
WHOLE = "AP of the whole ranking"


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


class RankedFold(NamedTuple):
    """One evaluation: what ranked, on which bank (its folder and digest), and its predictions."""

    path: Path
    ranking: tuple[str, ...]
    bank: tuple[Path, str]
    rows: list[dict]


def read_rankings(folders: Sequence[str | Path]) -> list[RankedTest]:
    """Return the tests of the evaluations in some folders: the folds of one model, or one of them.

    The dev questions are left out: another fold tests them. Raises InputError for folders of
    different models or banks, for a fold that is named twice, and for a bank that has changed.
    """
    evaluations = [_read_evaluation(Path(folder)) for folder in folders]
    first = evaluations[0]
    for other in evaluations[1:]:
        if (other.ranking, other.bank) != (first.ranking, first.bank):
            problem = f"is not of the same bank, model and ranking as {first.path}"
            raise InputError(other.path, problem, "export each of them by itself")
    folder, digest = first.bank
    if outputs_digest(checked(folder / layout.RECORD)) != digest:
        problem = f"is of another bank than {folder / layout.RECORD}"
        raise InputError(first.path, problem, "semblance run makes it again")
    bank = read_bank(folder)
    documents = _documents(folder, bank)
    found: dict[str, dict[str, RankedQuery]] = {}
    for evaluation in evaluations:
        for protocol, query in _queries(evaluation, bank):
            queries = found.setdefault(protocol, {})
            if query.id in queries:
                raise InputError(evaluation.path, f"asks {query.id} again", "name each fold once")
            queries[query.id] = query
    name = encoded("/".join(first.ranking[:3]))
    return [
        RankedTest(protocol, name, documents, tuple(queries.values()))
        for protocol, queries in found.items()
    ]


def _read_evaluation(folder: Path) -> RankedFold:
    path = folder / layout.RECORD
    if not path.is_file():
        advice = f"name a folder such as results/{layout.FAQ_SCORES}"
        raise InputError(folder, "is no result of an evaluation on a FAQ", advice)
    if read_sealed(path).get("stage") != "evaluate_faq":
        raise InputError(path, "is not of an evaluation on a FAQ", "name one of scores/faq")
    record = checked(path, PREDICTIONS)
    run = record["run"]
    place = layout.place("", layout.FAQ_SCORES, **run)
    below = folder.resolve().as_posix()
    if not below.endswith(place):
        raise InputError(folder, f"lies no longer in {place[1:]}", "name it where it was made")
    bank = layout.parse(layout.FOLD_CORPUS, run["corpus"])["bank"]
    return RankedFold(
        path,
        (run["base"], run["method"], f"seed-{run['seed']}", str(record["settings"].get("ranking"))),
        (
            Path(layout.place(below.removesuffix(place), layout.BANK, bank=bank)),
            input_digests(record)["data"],
        ),
        read_parquet(folder / PREDICTIONS, COLUMNS).to_pylist(),
    )


def _documents(folder: Path, bank: Bank) -> tuple[str, ...]:
    """Return the ids of the answers in the order of their numbers."""
    ids: dict[str, str] = {}
    for row in read_parquet(folder / BANK_ENTRIES, ("id", "answer")).to_pylist():
        ids.setdefault(normalise(row["answer"]), encoded(row["id"]))
    return tuple(ids[text] for text in bank.answers)


def _queries(evaluation: RankedFold, bank: Bank) -> Iterable[tuple[str, RankedQuery]]:
    """Yield the protocol and the ranking of each test question."""
    questions = {(each.protocol, each.id): each for each in bank.questions}
    for row in evaluation.rows:
        if row["protocol"] == FAQ_DEV:
            continue
        question = questions[row["protocol"], row["query"]]
        ranked = (tuple(row[name]) for name in ("ranks", "top", "top_scores"))
        yield question.protocol, RankedQuery(encoded(question.id), question.relevant, *ranked)


def encoded(identity: str) -> str:
    """Return an id that is one word in every column; ``urllib.parse.unquote`` gives the id back.

    White space, invisible characters, quotation marks and % become %XX, the bytes of their UTF-8;
    two ids never become one. Raises InputError for an empty id.
    """
    if not identity:
        raise InputError("export", "an id is empty", "fill it in and run the evaluation again")
    return "".join(quote(c, safe="") if _is_encoded(c) else c for c in identity)


def _is_encoded(character: str) -> bool:
    invisible = unicodedata.category(character)[0] in INVISIBLE
    return invisible or character.isspace() or character in MEANING


def write_trec(test: RankedTest, folder: Path) -> None:
    """Write run, qrels and measures of one test into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / "run.txt", "".join(_run_lines(test)))
    write_text(folder / "qrels.txt", "".join(_qrel_lines(test)))
    columns = ("measure", "value")
    measures = (dict(zip(columns, item, strict=True)) for item in measures_of(test).items())
    write_text(folder / "measures.csv", rows_csv(columns, measures))


def _run_lines(test: RankedTest) -> Iterator[str]:
    for query in test.queries:
        scores = falling(query.scores)
        for rank, (number, score) in enumerate(zip(query.top, scores, strict=True), 1):
            yield f"{query.id} Q0 {test.documents[number]} {rank} {score!r} {test.name}\n"


def _qrel_lines(test: RankedTest) -> Iterator[str]:
    for query in test.queries:
        for number in query.relevant:
            yield f"{query.id} 0 {test.documents[number]} 1\n"


def falling(scores: Iterable[float]) -> list[float]:
    """Return the scores of a ranking, those that are equal or nearly so moved apart."""
    found: list[float] = []
    for score in scores:
        if found:
            score = min(score, found[-1] - max(abs(found[-1]) * STEP, LEAST_STEP))
        found.append(score)
    return found


def measures_of(test: RankedTest) -> dict[str, float]:
    """Return the mean of each measure over the questions."""
    whole = [np.asarray(query.ranks) for query in test.queries]
    found = {"AP": fmean([precision_of(query) for query in test.queries])}
    found["RR"] = fmean(
        [(q.ranks[0] <= len(q.top)) / q.ranks[0] for q in test.queries]  # 0 for one that is cut off
    )
    for k in FAQ_CUTOFFS:
        found[f"Success@{k}"] = fmean([accuracy_at(ranks, k) for ranks in whole])
    found[WHOLE] = fmean([average_precision(ranks) for ranks in whole])
    return found


def precision_of(query: RankedQuery) -> float:
    """Return the average precision over all right answers; one that is not kept adds nothing."""
    found = [rank for rank in query.ranks if rank <= len(query.top)]
    return sum(number / rank for number, rank in enumerate(found, 1)) / len(query.ranks)


def lines(test: RankedTest) -> Iterator[str]:
    """Yield the lines for the user: each measure, and what the cut of the run changes."""
    found = measures_of(test)
    whole = found.pop(WHOLE)
    yield ", ".join(f"{name} {100 * value:.2f}" for name, value in found.items())
    below = sum(query.ranks[-1] > len(query.top) for query in test.queries)
    if below:
        note = f"of {below} questions a right answer lies below the answers that are kept"
        yield f"{note}; with them AP is {100 * whole:.2f}"
