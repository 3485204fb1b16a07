"""Data sets of sentence pairs that are released in three parts, and the file of prepared pairs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from semblance.data import sts
from semblance.data.arrow import write_parquet


@dataclass(frozen=True)
class Release:
    """How a data set of pairs is released in three files: the reader, and each part's file name."""

    read: Callable[[Path], list[sts.ScoredPair]]
    train: str
    dev: str
    test: str


RELEASES = {
    "stsb": Release(sts.read_stsb, "sts-train.csv", "sts-dev.csv", "sts-test.csv"),
    "sick": Release(sts.read_sick, "SICK_train.txt", "SICK_trial.txt", "SICK_test_annotated.txt"),
}


def write_pairs(pairs: Sequence[sts.ScoredPair], folder: Path) -> dict[str, int]:
    """Write pairs into ``pairs.parquet``; return the number of pairs of each task."""
    columns = ("task", "subset", "index", "sentence1", "sentence2", "score")
    table = {name: [getattr(pair, name) for pair in pairs] for name in columns}
    folder.mkdir(parents=True, exist_ok=True)
    write_parquet(pa.table(table), folder / "pairs.parquet")
    return {task: table["task"].count(task) for task in dict.fromkeys(table["task"])}
