"""FAQ rankings as TREC's tools read them: a run, judgements (qrels), and our own measures."""

import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path

from semblance.exporting.faq_rankings import RankedTest
from semblance.exporting.measures import measures_of
from semblance.files import write_text

RUN = "run.txt"
QRELS = "qrels.txt"
MEASURES = "measures.csv"
# trec_eval ranks by the score in single precision, and equal ones by their ids. So each score is
# written at least this much below the one before it: four times what single precision resolves.
STEP = 2.0**-21  # of the score before it
LEAST_STEP = 1e-9


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
            yield f"{query.id} Q0 {test.documents[number].id} {rank} {score!r} {test.name}\n"


def _qrel_lines(test: RankedTest) -> Iterator[str]:
    for query in test.queries:
        for number in query.relevant:
            yield f"{query.id} 0 {test.documents[number].id} 1\n"


def falling(scores: Iterable[float]) -> list[float]:
    """Return the scores of a ranking, those that are equal or nearly so moved apart."""
    written: list[float] = []
    for score in scores:
        if written:
            before = written[-1]
            score = min(score, before - max(abs(before) * STEP, LEAST_STEP))
        written.append(score)
    return written
