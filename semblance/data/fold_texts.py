"""What each text of a fold's training corpus stands for: an answer, a question, or a wording.

It says of the texts alone that the fold trains on, and of nothing that the fold holds out.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from semblance.data.arrow import read_parquet, write_parquet

TEXTS = "texts.parquet"  # beside the rows of a corpus
ANSWER, QUESTION = "answer", "question"  # what a text says of an answer: kinds of texts
WORDING = "wording"  # a user's own question
SCHEMA = pa.schema(
    [("text", pa.string()), ("kind", pa.string()), ("answer", pa.int32()), ("group", pa.string())]
)


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
