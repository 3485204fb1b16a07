"""The share of queries with a right answer among the first k of a FAQ bank, on one fold."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

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
    for protocol, queries in frame.groupby("protocol", sort=False):
        if protocol != FAQ_DEV:
            yield from _of_protocol(str(protocol), queries["ranks"], most)


def _of_protocol(protocol: str, ranks: pd.Series, most: int) -> Iterator[Row]:
    best = ranks.map(min)  # the rank of the first right answer of each query
    for k in range(1, most + 1):
        share = float((best <= k).mean())
        yield {"protocol": protocol, "k": k, "accuracy": share, "queries": len(best)}
