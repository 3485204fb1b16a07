"""Premises and hypotheses of SNLI or MultiNLI, with one of three labels."""

from collections.abc import Iterator
from pathlib import Path

from semblance.data.nli import LABELS, labelled_pairs
from semblance.data.pair import Pair

__all__ = ["LABELS", "read"]


def read(path: Path | str) -> Iterator[Pair]:
    """Yield the pairs of a file of the release; a pair without a majority label is unlabelled."""
    for pair in labelled_pairs(path):
        yield Pair(pair.premise, pair.hypothesis, pair.label)
