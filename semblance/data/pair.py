"""Pairs of sentences as training sources release them; the formats are the modules of ``pairs``."""

from collections.abc import Iterable
from typing import NamedTuple

from semblance.errors import InputError

UNLABELLED = "-"  # the label of a pair that has none


class Pair(NamedTuple):
    """Two sentences, white space normalised, and the label of the pair in its format's words."""

    first: str
    second: str
    label: str = UNLABELLED


def check_labels(known: tuple[str, ...], labels: Iterable[str], where: str) -> None:
    """Raise InputError unless labels are given exactly where a format has ``known`` ones."""
    labels = tuple(labels)
    if not known and labels:
        raise InputError(where, "the pairs of this format have no labels", "remove it")
    if known and not labels:
        raise InputError(where, "says which pairs are positive", f"known are {', '.join(known)}")
    for label in labels:
        if label not in known:
            raise InputError(where, f"unknown label {label!r}", f"known are {', '.join(known)}")
