"""Which rows make up each batch: seeded, without a sentence twice, the same on every machine."""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import assert_never

import numpy as np

from semblance.data.corpus import NONE, Rows
from semblance.errors import InputError
from semblance.settings import Apart


def keys_of(rows: Rows, apart: Apart) -> tuple[np.ndarray, ...]:
    """Return what of each row may stand only once in a batch: columns (N,), NONE if absent.

    These are its sentences, or their entries. All sentences that rows connect, as queries with
    their positives, are one entry: a question of a FAQ, its answer, the users' wordings of it.
    """
    match apart:
        case "sentences":
            return rows.columns()
        case "entries":
            entry = _entries(rows)
            return tuple(np.where(c == NONE, NONE, entry[c]) for c in rows.columns())
        case _:
            assert_never(apart)


def _entries(rows: Rows) -> np.ndarray:
    """Number the entry of each sentence, (S,)."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    count = 1 + max(int(column.max()) for column in rows.columns())
    ones = np.ones(len(rows.query), bool)
    # Sentences are the nodes of a graph, and each row an edge: an entry is a connected component.
    edges = coo_array((ones, (rows.query, rows.positive)), shape=(count, count))
    return connected_components(edges, directed=False)[1]


def batches(
    rows: Rows, size: int, seed: int, no_duplicates: bool = True, apart: Apart = "sentences"
) -> Iterator[np.ndarray]:
    """Yield endless batches of ``size`` row numbers, epoch after epoch; fewer where no more fit.

    Each epoch is a fresh permutation. A row that shares a sentence (or an entry) with its batch
    would be a false negative there, or be its own: it waits for the next batch. Only a row that
    shares one with every other row is left out. Raises InputError where no two rows fit together.
    """
    keys = np.stack(keys_of(rows, apart), axis=1)  # (N, 3 or 4)
    fresh = _row_numbers(len(keys), seed)
    waiting: deque[int] = deque()
    left_out = 0
    while True:
        if no_duplicates:
            batch = _draw_disjoint(keys, size, fresh, waiting)
        else:
            batch = [next(fresh) for _ in range(size)]
        # A row alone has no other row as a negative: its loss says little or nothing.
        if len(batch) > 1 or size == 1:
            left_out = 0
            yield np.asarray(batch, dtype=np.int64)
            continue
        left_out += 1  # this row goes with no other
        if left_out > len(keys):
            raise InputError(
                "corpus",
                f"no two rows without common {apart} can be found",
                "use a larger corpus, or set no_duplicates: false",
            )


def _row_numbers(count: int, seed: int) -> Iterator[int]:
    epoch = 0
    while True:
        # Seeded by the epoch, too: its order depends on no earlier draw, so that a training which
        # is resumed in epoch 2 draws what an uninterrupted one does.
        generator = np.random.Generator(np.random.PCG64([seed, epoch]))
        yield from map(int, generator.permutation(count))
        epoch += 1


def _draw_disjoint(
    keys: np.ndarray, size: int, fresh: Iterator[int], waiting: deque[int]
) -> list[int]:
    """Draw up to ``size`` rows without a common key: first those that wait, then fresh ones.

    Rows that must wait are put back to ``waiting``, in their order. After as many failures of fresh
    rows as there are rows, the batch stays smaller.
    """
    batch: list[int] = []
    used: set[int] = set()
    postponed: list[int] = []
    # A row waits once, however many epochs go by: where one entry has most of the rows, as many of
    # them as there are rows at all would wait, and batches would stay small for ever.
    held = set(waiting)
    failures = 0
    while len(batch) < size and failures < len(keys):
        is_fresh = not waiting
        row = next(fresh) if is_fresh else waiting.popleft()
        if is_fresh and row in held:
            failures += 1
            continue
        own = {int(key) for key in keys[row]} - {NONE}
        if used.isdisjoint(own):
            used |= own
            batch.append(row)
            held.discard(row)
        else:
            postponed.append(row)
            held.add(row)
            failures += is_fresh
    # They come first in the next batch, so that no row is put off again and again.
    waiting.extendleft(reversed(postponed))
    return batch


def disjoint_rows(keys: Sequence[np.ndarray], enough: int) -> int:
    """Count the rows that a first pass finds without a common key, up to ``enough``.

    It is a bound for the batch size; a large corpus is not read to its end.
    """
    used: set[int] = set()
    count = 0
    for row in zip(*keys, strict=True):
        own = set(row) - {NONE}
        if used.isdisjoint(own):
            used |= own
            count += 1
            if count == enough:
                break
    return count
