"""The folds of a FAQ bank: parts that are the same on every machine, and what a fold's texts are.

A part keeps each group whole. What a text stands for is said of those texts alone that a fold trains
on, and of nothing that it holds out.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from semblance.data.arrow import read_parquet, write_parquet
from semblance.errors import InputError

TEXTS = "texts.parquet"  # beside the rows of a corpus
ANSWER, QUESTION = "answer", "question"  # what a text says of an answer: kinds of texts
WORDING = "wording"  # a user's own question
SCHEMA = pa.schema(
    [("text", pa.string()), ("kind", pa.string()), ("answer", pa.int32()), ("group", pa.string())]
)


def split_groups(groups: Sequence[str], folds: int, seed: int) -> list[int]:
    """Assign each item a part, 0 to ``folds - 1``, the items of one group the same part.

    The largest group goes first, always to the smallest part so far, so that two parts differ by at
    most the largest group's size. Groups of one size are ordered by a hash of seed and name: it
    depends on neither the order of the items nor the process. Raises InputError if there are fewer
    groups than parts.
    """
    sizes = Counter(groups)
    if not 2 <= folds <= len(sizes):
        problem = f"{folds} parts of {len(sizes)} groups"
        raise InputError("folds", problem, "between 2 and the number of groups is possible")

    def rank(group: str) -> tuple[int, bytes, str]:
        """Return what orders the groups."""
        return -sizes[group], sha256(f"{seed}:{group}".encode()).digest(), group

    filled = [0] * folds  # items in each part so far
    part_of: dict[str, int] = {}
    for group in sorted(sizes, key=rank):
        part = filled.index(min(filled))
        part_of[group] = part
        filled[part] += sizes[group]
    return [part_of[group] for group in groups]


def dev_part(test: int, folds: int) -> int:
    """Return the part that a fold chooses its checkpoint by: the one after its test part.

    RCL's FAQ protocol: of 5 parts 3 to train, 1 dev, 1 test, in rotation.
    """
    return (test + 1) % folds


class FoldText(NamedTuple):
    """A text, its kind, the number of an answer that it stands for, and the group of that entry.

    A text that stands for several answers is there once for each.
    """

    text: str
    kind: str
    answer: int
    group: str


def write_texts(folder: Path, texts: Iterable[FoldText]) -> None:
    """Write the texts of a corpus into its folder, each line once."""
    rows = [text._asdict() for text in dict.fromkeys(texts)]
    write_parquet(pa.Table.from_pylist(rows, SCHEMA), folder / TEXTS)


def read_texts(folder: Path) -> list[FoldText]:
    """Read the texts of a corpus; InputError for a missing or damaged file."""
    rows = read_parquet(folder / TEXTS, SCHEMA.names).to_pylist()
    return [FoldText(**row) for row in rows]
