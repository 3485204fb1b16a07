"""Small labels beside their points, which cover neither a point nor another label."""

import math
from collections.abc import Sequence
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
        across = self.left < other.right and other.left < self.right
        return across and self.bottom < other.top and other.bottom < self.top

    def holds(self, other: "Box") -> bool:
        """Tell whether another box lies inside this one."""
        across = self.left <= other.left and other.right <= self.right
        return across and self.bottom <= other.bottom and other.top <= self.top


def write_clear(
    figure: Figure, axes: Axes, marks: list[Mark], points: Sequence[tuple[float, float]]
) -> None:
    """Write each label near its place, clear of all points, with a thin line between the two."""
    figure.draw_without_rendering()  # only now is it known where the points lie
    scale = 72 / figure.dpi
    to_points = axes.transData.transform
    taken = []
    for x, y in scale * to_points(points) if points else ():
        taken.append(Box(x - POINT, y - POINT, x + POINT, y + POINT))
    panel = Box(*(scale * side for side in axes.get_window_extent().extents))
    for mark in marks:
        x, y = scale * to_points((mark.x, mark.y))
        box = _free_place((x, y), OF_CHARACTER * len(mark.text) + 1, taken, panel)
        taken.append(box)
        axes.annotate(
            mark.text,
            (mark.x, mark.y),
            xytext=(box.left - x, box.bottom - y + 1),
            textcoords="offset points",
            fontsize=SMALL,
            arrowprops={"arrowstyle": "-", "linewidth": 0.3, "color": SOFT, "shrinkB": 2},
        ).set_in_layout(False)  # the panel stays where it was


def _free_place(point: tuple[float, float], width: float, taken: list[Box], panel: Box) -> Box:
    """Return the nearest box for a label around a point, in the panel, that covers none taken.

    Where all near places are taken it is the first one in the panel, or the first at all.
    """
    tried = []
    for distance in range(6, FARTHEST, 3):
        for turn in range(ANGLES):
            angle = 2 * math.pi * (turn / ANGLES + 1 / 8)  # the first is up and to the right
            x = point[0] + (distance + width / 2) * math.cos(angle) - width / 2
            y = point[1] + distance * math.sin(angle) - HEIGHT / 2
            tried.append(Box(x, y, x + width, y + HEIGHT))
    inside = [box for box in tried if panel.holds(box)]
    free = [box for box in inside if not any(box.covers(other) for other in taken)]
    return (free or inside or tried)[0]
