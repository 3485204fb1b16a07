"""Quora question pairs: the release of 2017, and its part in GLUE, which has the same columns."""

from collections.abc import Iterator
from pathlib import Path

from semblance.data.csv_text import read_csv
from semblance.data.pair import UNLABELLED, Pair
from semblance.data.text import at_least_one, normalise
from semblance.errors import InputError, at

LABELS = ("duplicate", "different")
LABEL_OF = {"1": "duplicate", "0": "different"}
COLUMNS = ("question1", "question2", "is_duplicate")


def read(path: Path | str) -> Iterator[Pair]:
    """Yield the pairs of a file with tabs between its columns, quoted as a CSV file.

    A question that holds a quote stands in quotes, and each quote in it is doubled. Many readers of
    GLUE's file take quotes as plain characters, so that copies of the data show these signs.
    A pair with an empty question, of which the release has three, is unlabelled. Another label than
    0 or 1, and a file without a pair, raise InputError.
    """
    rows = read_csv(path, COLUMNS, delimiter="\t")
    for line, row in at_least_one(rows, "pair after the header", path):
        label = LABEL_OF.get(row["is_duplicate"].strip())
        if label is None:
            raise InputError(at(path, line), f"is_duplicate is {row['is_duplicate']!r}", "0 or 1")
        first = normalise(row["question1"])
        second = normalise(row["question2"])
        if not first or not second:
            label = UNLABELLED
        yield Pair(first, second, label)
