"""Differences with their intervals as small bars, all those of a group on one scale of its own."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

WIDTH = 240  # of a bar, in its own units
EDGE = 6  # room for a dot, or for the arrow of an interval that reaches further
FAR = 5  # medians of a group: what lies further out is drawn at the edge, or it pressed others flat


class Mark(NamedTuple):
    """What a bar shows: a difference and the ends of its interval; None where there is none."""

    difference: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Scale:
    """The scale of the bars of a group, from ``low`` to ``high``."""

    low: float
    high: float

    def place(self, value: float) -> float:
        """Return where a value is drawn: at the edge if it lies beyond it."""
        share = (value - self.low) / (self.high - self.low)
        return round(EDGE + (WIDTH - 2 * EDGE) * min(max(share, 0), 1), 1)


def scale_of(marks: Iterable[Mark], always: Sequence[float] = (0.0,)) -> Scale:
    """Return the scale on which marks have their places; what it shows ``always`` is on it, too."""
    marks = list(marks)
    reaches = [max(abs(end) for end in mark if end is not None) for mark in marks] or [0.0]
    most = max(FAR * median(reaches), *map(abs, always))
    ends = [min(max(end, -most), most) for mark in marks for end in mark if end is not None]
    low, high = min(*always, *ends, 0.0), max(*always, *ends, 0.0)
    return Scale(low, high) if low < high else Scale(-1.0, 1.0)
