"""Small labels beside their points, which cover neither a point nor another label."""

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semblance.drawing.style import SMALL, SOFT

ANGLES = 16
FARTHEST = 72  # points
POINT = 3  # half the width of what a point covers, in points
HEIGHT = 7.5  # of a label, in points
OF_CHARACTER = 4.6  # its width


class Mark(NamedTuple):
    """A label and the place that it belongs to, in the data's units."""

    text: str
    x: float
    y: float


class Box(NamedTuple):
    """A rectangle, in points."""

    left: float
    bottom: float
    right: float
    top: float

    def covers(self, other: "Box") -> bool:
        """Tell whether two boxes have a common area."""
        is_beside = self.right <= other.left or other.right <= self.left
        is_above = self.top <= other.bottom or other.top <= self.bottom
        return not is_beside and not is_above

    def holds(self, other: "Box") -> bool:
        """Tell whether another box lies inside this one."""
        across = self.left <= other.left and other.right <= self.right
        return across and self.bottom <= other.bottom and other.top <= self.top


def write_clear(
    figure: Figure, axes: Axes, marks: list[Mark], points: Iterable[tuple[float, float]]
) -> None:
    """Write each label near its place, clear of all points, with a thin line between the two."""
    figure.draw_without_rendering()  # only now is it known where the points lie
    scale = 72 / figure.dpi
    taken = []
    for x, y in _in_points(axes, points, scale):
        taken.append(Box(x - POINT, y - POINT, x + POINT, y + POINT))
    panel = Box(*(scale * side for side in axes.get_window_extent().extents))
    places = _in_points(axes, [(mark.x, mark.y) for mark in marks], scale)
    for mark, place in zip(marks, places, strict=True):
        size = (OF_CHARACTER * len(mark.text) + 1, HEIGHT)
        box = free_place(place, size, taken, panel)
        taken.append(box)
        axes.annotate(
            mark.text,
            (mark.x, mark.y),
            xytext=(box.left - place[0], box.bottom - place[1] + 1),
            textcoords="offset points",
            fontsize=SMALL,
            arrowprops={"arrowstyle": "-", "linewidth": 0.3, "color": SOFT, "shrinkB": 2},
        ).set_in_layout(False)  # the panel stays where it was measured


def _in_points(
    axes: Axes, places: Iterable[tuple[float, float]], scale: float
) -> list[tuple[float, float]]:
    found = list(places)
    if not found:
        return []
    return [(scale * x, scale * y) for x, y in axes.transData.transform(found)]


def free_place(
    point: tuple[float, float], size: tuple[float, float], taken: list[Box], panel: Box
) -> Box:
    """Return the nearest box of a size around a point, in the panel, that covers none of the taken.

    Where all near places are taken it is the first one in the panel, or the first at all.
    """
    tried = list(_around(point, size))
    inside = [box for box in tried if panel.holds(box)]
    free = [box for box in inside if not any(box.covers(other) for other in taken)]
    return (free or inside or tried)[0]


def _around(point: tuple[float, float], size: tuple[float, float]) -> Iterator[Box]:
    for distance in range(6, FARTHEST, 3):
        for turn in range(ANGLES):
            angle = 2 * math.pi * (turn / ANGLES + 1 / 8)  # the first is up and to the right
            x = point[0] + (distance + size[0] / 2) * math.cos(angle) - size[0] / 2
            y = point[1] + distance * math.sin(angle) - size[1] / 2
            yield Box(x, y, x + size[0], y + size[1])
