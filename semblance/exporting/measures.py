"""Our metrics of exported rankings, by ir_measures' names of them.

A run holds the best answers of each question, as many as an evaluation keeps. A right answer below
them counts as not found there, so the run's AP and RR may be lower than the whole ranking's.
"""

import math
from collections.abc import Iterator

import numpy as np

from semblance.evaluation.metrics import accuracy_at, average_precision
from semblance.exporting.faq_rankings import RankedQuery, RankedTest
from semblance.names import FAQ_CUTOFFS

WHOLE = "AP of the whole ranking"


def measures_of(test: RankedTest) -> dict[str, float]:
    """Return the mean of each measure over the questions."""
    whole = [np.asarray(query.ranks) for query in test.queries]
    found = {"AP": _mean([precision_of(query) for query in test.queries])}
    found["RR"] = _mean([_reciprocal(query) for query in test.queries])
    for k in FAQ_CUTOFFS:
        found[f"Success@{k}"] = _mean([accuracy_at(ranks, k) for ranks in whole])
    found[WHOLE] = _mean([average_precision(ranks) for ranks in whole])
    return found


def precision_of(query: RankedQuery) -> float:
    """Return the average precision over all right answers; one that is not kept adds nothing."""
    found = [rank for rank in query.ranks if rank <= len(query.top)]
    return sum(number / rank for number, rank in enumerate(found, 1)) / len(query.ranks)


def _reciprocal(query: RankedQuery) -> float:
    if query.ranks[0] > len(query.top):
        return 0.0
    return 1 / query.ranks[0]


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
