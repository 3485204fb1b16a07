"""Which rows make up each batch: seeded, without a sentence twice, the same on every machine."""

from collections.abc import Iterator

import numpy as np

from semblance.data.corpus import NONE, Rows
from semblance.errors import InputError


def batches(rows: Rows, size: int, seed: int, no_duplicates: bool = True) -> Iterator[np.ndarray]:
    """Yield endless batches of ``size`` row numbers, epoch after epoch; fewer where no more rows fit.

    Each epoch is a fresh permutation. A row that shares a sentence with its batch would be a false
    negative there (or be its own); it waits for the next batch. Only a row that shares a sentence with
    every other one is left out.
    """
    matrix = np.stack(rows, axis=1)  # (N, 3)
    epoch, fresh, waiting = 0, _permutation(len(matrix), seed, 0), []
    lonely = 0
    while True:
        batch, used, still = [], set(), []
        while len(batch) < size:
            if waiting:
                row = waiting.pop(0)
            else:
                if not len(fresh):
                    epoch += 1
                    fresh = _permutation(len(matrix), seed, epoch)
                row, fresh = int(fresh[0]), fresh[1:]
            texts = {int(t) for t in matrix[row]} - {NONE}
            if no_duplicates and not used.isdisjoint(texts):
                still.append(row)
                if len(still) >= len(
                    matrix
                ):  # as many tries as there are rows: the batch stays smaller
                    break
                continue
            used |= texts
            batch.append(row)
        waiting = still + waiting
        if len(batch) > 1 or size == 1:
            lonely = 0
            yield np.asarray(batch, dtype=np.int64)
            continue
        lonely += 1  # this row goes with no other: it is left out
        if lonely > len(matrix):
            raise InputError(
                "corpus",
                "no two rows without a common sentence can be found",
                "use a larger corpus, or set no_duplicates: false",
            )


def _permutation(count: int, seed: int, epoch: int) -> np.ndarray:
    return np.random.Generator(np.random.PCG64([seed, epoch])).permutation(count)


def disjoint_rows(rows: Rows, enough: int) -> int:
    """Return how many rows a first pass finds without a common sentence, up to ``enough``.

    It bounds the batch size.
    """
    used: set[int] = set()
    count = 0
    for row in zip(*rows, strict=True):
        texts = set(row) - {NONE}
        if used.isdisjoint(texts):
            used |= texts
            count += 1
            if count == enough:  # a large corpus need not be read to its end
                break
    return count
