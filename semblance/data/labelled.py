"""Data sets of premises and hypotheses with labels, and the readers of their files."""

from collections.abc import Callable, Iterable
from pathlib import Path

from semblance.data import anli, nli
from semblance.errors import InputError

READERS: dict[str, Callable[[Path], Iterable[nli.NliPair]]] = {
    "snli": nli.labelled_pairs,
    "multinli": nli.labelled_pairs,  # the same format
    "anli": anli.read_anli,
    "nli-pairs-sample": nli.read_table,
}


def check_neutral(datasets: Iterable[str], where: str) -> None:
    """Raise InputError for a data set that has no neutral sentences, because it is of triples."""
    for name in datasets:
        if name not in READERS:
            problem = f"data set {name!r} has no neutral sentences"
            raise InputError(where, problem, f"known are {', '.join(READERS)}")
