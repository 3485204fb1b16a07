"""FAQ rankings as TREC's tools read them: a run, judgements (qrels), and our own measures by ir_measures' names.

A run holds the best answers of each question, as many as an evaluation keeps. A right answer below
them counts as not found there, so the run's AP and RR may be lower than the whole ranking's.
"""

import csv
import io
import math
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from semblance.evaluation.metrics import accuracy_at, average_precision
from semblance.exporting.faq_rankings import RankedQuery, RankedTest
from semblance.files import write_text
from semblance.names import FAQ_CUTOFFS

RUN = "run.txt"
QRELS = "qrels.txt"
MEASURES = "measures.csv"
# trec_eval ranks by the score in single precision, and equal ones by their ids. So each score is
# written at least this much below the one before it: four times what single precision resolves.
STEP = 2.0**-21  # of the score before it
LEAST_STEP = 1e-9
WHOLE = "AP of the whole ranking"


def write_trec(test: RankedTest, folder: Path) -> None:
    """Write run, qrels and measures of one test into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / RUN, "".join(_run_lines(test)))
    write_text(folder / QRELS, "".join(_qrel_lines(test)))
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["measure", "value"])
    rows.writerows((name, repr(value)) for name, value in measures_of(test).items())
    write_text(folder / MEASURES, text.getvalue())


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
    written: list[float] = []
    for score in scores:
        if written:
            before = written[-1]
            score = min(score, before - max(abs(before) * STEP, LEAST_STEP))
        written.append(score)
    return written


def measures_of(test: RankedTest) -> dict[str, float]:
    """Return the mean of each measure over the questions."""
    whole = [np.asarray(query.ranks) for query in test.queries]
    found = {"AP": _mean([precision_of(query) for query in test.queries])}
    first = [
        query.ranks[0] if query.ranks[0] <= len(query.top) else math.inf for query in test.queries
    ]
    found["RR"] = _mean([1 / rank for rank in first])
    for k in FAQ_CUTOFFS:
        found[f"Success@{k}"] = _mean([accuracy_at(ranks, k) for ranks in whole])
    found[WHOLE] = _mean([average_precision(ranks) for ranks in whole])
    return found


def precision_of(query: RankedQuery) -> float:
    """Return the average precision over all right answers; one that is not kept adds nothing."""
    found = [rank for rank in query.ranks if rank <= len(query.top)]
    return sum(number / rank for number, rank in enumerate(found, 1)) / len(query.ranks)


def _mean(values: list[float]) -> float:
    return math.fsum(values) / len(values)


def lines(test: RankedTest) -> Iterator[str]:
    """Yield what a user is told: each measure, and what the cut of the run changes."""
    found = measures_of(test)
    whole = found.pop(WHOLE)
    yield ", ".join(f"{name} {100 * value:.2f}" for name, value in found.items())
    below = sum(query.ranks[-1] > len(query.top) for query in test.queries)
    if below:
        told = f"of {below} questions a right answer lies below the answers that are kept"
        yield f"{told}; with them AP is {100 * whole:.2f}"
