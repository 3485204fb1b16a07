"""Which rows make up each batch: seeded, without a sentence twice, the same on every machine."""

from collections import deque
from collections.abc import Iterator

import numpy as np

from semblance.data.corpus import NONE, Rows
from semblance.errors import InputError


def batches(rows: Rows, size: int, seed: int, no_duplicates: bool = True) -> Iterator[np.ndarray]:
    """Yield endless batches of ``size`` row numbers, epoch after epoch; fewer where no more fit.

    Each epoch is a fresh permutation. A row that shares a sentence with its batch would be a false
    negative there (or be its own): it waits for the next batch. Only a row that shares a sentence
    with every other one is left out. Raises InputError where no two rows fit into a batch.
    """
    matrix = np.stack(rows.columns(), axis=1)  # (N, 3 or 4)
    fresh = _row_numbers(len(matrix), seed)
    waiting: deque[int] = deque()
    left_out = 0
    while True:
        if no_duplicates:
            batch = _draw_disjoint(matrix, size, fresh, waiting)
        else:
            batch = [next(fresh) for _ in range(size)]
        if len(batch) > 1 or size == 1:
            left_out = 0
            yield np.asarray(batch, dtype=np.int64)
            continue
        left_out += 1  # this row goes with no other
        if left_out > len(matrix):
            raise InputError(
                "corpus",
                "no two rows without a common sentence can be found",
                "use a larger corpus, or set no_duplicates: false",
            )


class Drawing:
    """Draws the rows of one batch after another: ``batches``, asked by step."""

    def __init__(self, rows: Rows, size: int, seed: int, no_duplicates: bool):
        self._stream = batches(rows, size, seed, no_duplicates)
        self._drawn = 0

    def __call__(self, step: int) -> np.ndarray:
        """Return the numbers of the rows of batch ``step``, (B,); steps must go up."""
        while self._drawn <= step:
            chosen = next(self._stream)
            self._drawn += 1
        return chosen


def _row_numbers(count: int, seed: int) -> Iterator[int]:
    """Yield the numbers of all rows, epoch after epoch, each in an order of its own."""
    epoch = 0
    while True:
        generator = np.random.Generator(np.random.PCG64([seed, epoch]))
        yield from map(int, generator.permutation(count))
        epoch += 1


def _draw_disjoint(
    matrix: np.ndarray, size: int, fresh: Iterator[int], waiting: deque[int]
) -> list[int]:
    """Draw up to ``size`` rows without a common sentence: first those that wait, then fresh ones.

    Rows that must wait are put back to ``waiting``, in their order. After as many failures as there
    are rows, the batch stays smaller.
    """
    batch: list[int] = []
    used: set[int] = set()
    postponed: list[int] = []
    while len(batch) < size and len(postponed) < len(matrix):
        row = waiting.popleft() if waiting else next(fresh)
        texts = {int(text) for text in matrix[row]} - {NONE}
        if used.isdisjoint(texts):
            used |= texts
            batch.append(row)
        else:
            postponed.append(row)
    waiting.extendleft(reversed(postponed))
    return batch


def disjoint_rows(rows: Rows, enough: int) -> int:
    """Count the rows that a first pass finds without a common sentence, up to ``enough``.

    It is a bound for the batch size; a large corpus is not read to its end.
    """
    used: set[int] = set()
    count = 0
    for row in zip(*rows.columns(), strict=True):
        texts = set(row) - {NONE}
        if used.isdisjoint(texts):
            used |= texts
            count += 1
            if count == enough:
                break
    return count
