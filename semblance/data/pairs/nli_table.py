"""A table of premises and hypotheses of several sources, with a header and one of three labels."""

from collections.abc import Iterator
from pathlib import Path

from semblance.data.nli import LABELS, read_table
from semblance.data.pair import Pair

__all__ = ["LABELS", "read"]


def read(path: Path | str) -> Iterator[Pair]:
    """Yield the pairs of a table with tabs between the columns label, sentence1 and sentence2."""
    for pair in read_table(path):
        yield Pair(pair.premise, pair.hypothesis, pair.label)
