"""The share of queries with a right answer among the first k of a FAQ bank, on one fold."""

from collections.abc import Iterator
from pathlib import Path

from semblance.figures import Row
from semblance.names import FAQ_DEV
from semblance.reporting.predictions import read_predictions
from semblance.settings import Count

COLUMNS = ("protocol", "k", "accuracy", "queries")


def rows(path: Path, *, most: Count = 10) -> Iterator[Row]:
    """Yield one row for each protocol and each k of 1 to ``most``, from the ranks of right answers.

    ``accuracy``: in [0, 1], over the ``queries`` of the fold. The dev questions are left out.
    """
    frame = read_predictions(path, ["protocol", "ranks"])
    tests = frame[frame["protocol"] != FAQ_DEV]
    for protocol, queries in tests.groupby("protocol", sort=False):
        best = queries["ranks"].map(min)  # the rank of the first right answer of each query
        for k in range(1, most + 1):
            share = float((best <= k).mean())
            yield {"protocol": protocol, "k": k, "accuracy": share, "queries": len(best)}
