"""Corpora on disk: distinct sentences, and rows that point into them.

Of a corpus only the row numbers are held in memory, 12 bytes a row.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from semblance.data.arrow import read_arrow, write_arrow

NONE = -1  # a row without a negative


class Rows(NamedTuple):
    """Training rows as sentence numbers: arrays of shape (N,), int32; negative is -1 where absent."""

    query: np.ndarray
    positive: np.ndarray
    negative: np.ndarray

    def views(self) -> tuple[np.ndarray, ...]:
        """Return query, positive and, if any row has one, negative."""
        if (self.negative != NONE).any():
            return tuple(self)
        return (self.query, self.positive)


def number_sentences(rows: Iterable[Sequence[str | None]]) -> tuple[list[str], Rows]:
    """Number the distinct sentences in order of first appearance; return them and the rows."""
    numbers: dict[str, int] = {}
    columns: tuple[list[int], ...] = ([], [], [])
    for row in rows:
        for column, text in zip(columns, row, strict=True):
            if text is None:
                column.append(NONE)
            else:
                column.append(numbers.setdefault(text, len(numbers)))
    arrays = [np.asarray(column, dtype=np.int32) for column in columns]
    return list(numbers), Rows(*arrays)


def write_corpus(folder: Path, sentences: Sequence[str], rows: Rows) -> None:
    """Write ``sentences.arrow`` and ``rows.arrow`` into a folder."""
    texts = ({"text": sentence} for sentence in sentences)
    write_arrow(folder / "sentences.arrow", {"text": "string"}, texts)
    numbers = (
        dict(zip(Rows._fields, map(int, row), strict=True)) for row in zip(*rows, strict=True)
    )
    write_arrow(folder / "rows.arrow", dict.fromkeys(Rows._fields, "int32"), numbers)


def read_sentences(folder: str | Path) -> list[str]:
    """Return the distinct sentences of a corpus."""
    table = read_arrow(Path(folder, "sentences.arrow"), {"text": pa.string()})
    return table["text"].to_pylist()


def read_rows(folder: str | Path) -> Rows:
    """Return the rows of a corpus."""
    table = read_arrow(Path(folder, "rows.arrow"), dict.fromkeys(Rows._fields, pa.int32()))
    return Rows(*(table[name].to_numpy() for name in Rows._fields))
