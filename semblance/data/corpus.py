"""Corpora on disk: distinct sentences, and rows that point into them.

Of a corpus only the row numbers are held in memory, 12 or 16 bytes a row.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from semblance.data.arrow import read_arrow, write_arrow

NONE = -1  # a row without a negative
SECOND_NEGATIVE = "second_negative"  # the column of a file whose rows have two hard negatives


class Rows(NamedTuple):
    """Training rows as sentence numbers: arrays of shape (N,), int32; negative is -1 where absent.

    Where each row has two hard negatives, ``negative`` is of shape (N, 2).
    """

    query: np.ndarray
    positive: np.ndarray
    negative: np.ndarray

    def columns(self) -> tuple[np.ndarray, ...]:
        """Return query, positive and each hard negative, (N,) each."""
        if np.ndim(self.negative) == 2:
            return (self.query, self.positive, *self.negative.T)
        return tuple(self)

    def views(self) -> tuple[np.ndarray, ...]:
        """Return query, positive and, if any row has one, each hard negative."""
        if (self.negative != NONE).any():
            return self.columns()
        return (self.query, self.positive)


def number_sentences(
    rows: Iterable[Sequence[str | None]], negatives: int = 1
) -> tuple[list[str], Rows]:
    """Number the distinct sentences in order of first appearance; return them and the rows.

    A row is a query, a positive and so many hard ``negatives``, one or two.
    """
    numbers: dict[str, int] = {}
    columns: list[list[int]] = [[] for _ in range(2 + negatives)]
    for row in rows:
        for column, text in zip(columns, row, strict=True):
            if text is None:
                column.append(NONE)
            else:
                column.append(numbers.setdefault(text, len(numbers)))
    return list(numbers), _rows([np.asarray(column, dtype=np.int32) for column in columns])


def _rows(columns: Sequence[np.ndarray]) -> Rows:
    """Return the rows of these columns: query, positive, one hard negative or two."""
    query, positive, *negatives = columns
    if len(negatives) == 1:
        return Rows(query, positive, negatives[0])
    return Rows(query, positive, np.stack(negatives, axis=1))


def write_rows(folder: Path, rows: Sequence[tuple], negatives: int = 1) -> dict[str, int]:
    """Write the rows of texts of a corpus, as ``number_sentences`` takes them; return its counts."""
    sentences, numbered = number_sentences(rows, negatives)
    write_corpus(folder, sentences, numbered)
    return {"rows": len(rows), "sentences": len(sentences)}


def write_corpus(folder: Path, sentences: Sequence[str], rows: Rows) -> None:
    """Write ``sentences.arrow`` and ``rows.arrow`` into a folder."""
    texts = ({"text": sentence} for sentence in sentences)
    write_arrow(folder / "sentences.arrow", {"text": "string"}, texts)
    columns = rows.columns()
    names = (*Rows._fields, SECOND_NEGATIVE)[: len(columns)]
    numbers = (dict(zip(names, map(int, row), strict=True)) for row in zip(*columns, strict=True))
    write_arrow(folder / "rows.arrow", dict.fromkeys(names, "int32"), numbers)


def read_sentences(folder: str | Path) -> list[str]:
    """Return the distinct sentences of a corpus."""
    return read_arrow(Path(folder, "sentences.arrow"))["text"].to_pylist()


def read_rows(folder: str | Path) -> Rows:
    """Return the rows of a corpus."""
    table = read_arrow(Path(folder, "rows.arrow"))
    return _rows([column.to_numpy() for column in table.columns])
