"""Repeatable choices: a small layer over the raw PCG64 stream, which NumPy keeps stable for ever."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from numpy.random import PCG64

Item = TypeVar("Item")


class Dice:
    """Draw, shuffle and deal from one seeded PCG64 stream."""

    def __init__(self, seed: int):
        self._bits = PCG64(seed)

    def below(self, n: int) -> int:
        """Return an integer in ``[0, n)``; the modulo's bias (below 1e-16) does not matter here."""
        return int(self._bits.random_raw()) % n

    def pick(self, items: Sequence[Item]) -> Item:
        """Return one of the items."""
        return items[self.below(len(items))]

    def other(self, items: Sequence[Item], than: Item) -> Item:
        """Return one of the items that differs from ``than``."""
        return self.pick([item for item in items if item != than])

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """Return the items in a new order (Fisher and Yates)."""
        out = list(items)
        for i in range(len(out) - 1, 0, -1):
            j = self.below(i + 1)
            out[i], out[j] = out[j], out[i]
        return out

    def deal(self, items: Sequence[Item]) -> Iterator[Item]:
        """Yield the items without end, each once before any comes again."""
        while True:
            yield from self.shuffled(items)
