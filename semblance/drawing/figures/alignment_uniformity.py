"""Alignment against uniformity of every model, coloured by its STS average (SimCSE, Figure 3)."""

import textwrap
from statistics import fmean
from typing import NamedTuple

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semblance.counts import MINUS, rounded
from semblance.drawing.series import Points, columns
from semblance.drawing.style import INK, PAGE, SMALL, SOFT, new_figure, no_data, write_beside
from semblance.drawing.text import Names, Rows, by_label, numbers, values

COLOURS = "cividis"  # dark to light in grey, too
SHADES = 24  # few, so that the scale is drawn by lines and not as a picture
SHAPE = (3.3, 3.2)  # inches of the panel
KEY_ROWS = 28  # lines of a key beside the panel; a longer one stands below it
KEY_LINE = 0.13  # inches
ACROSS = 2  # columns of a key below
MOST_SPREAD = 22  # lines over the height of the key, at least
LONGEST = 90  # characters of a label
WRAPPED = 46  # characters of a line of it
FAR = 4  # interquartile ranges beyond the quartiles: what lies further out is drawn at the border
FIGURE_SPACE = "\u2007"  # as wide as a digit


class Method(NamedTuple):
    """The means over the seeds of a method; the average is None where a test set is missing."""

    label: str
    uniformity: float
    alignment: float
    average: float | None

    def lines(self, number: int) -> list[str]:
        """Return the lines of the key; spaces of a digit's width stay where HTML shows them."""
        average = rounded(self.average, 1) or MINUS
        first, *others = textwrap.wrap(self.label, WRAPPED) or [""]
        gap = 3 * FIGURE_SPACE
        numbered = f"{number:>2}".replace(" ", FIGURE_SPACE)
        return [f"{numbered}{gap}{average}{gap}{first}", *(4 * gap + other for other in others)]


def draw(rows: Rows, names: Names) -> Figure:
    """Draw a numbered point for each method, the mean of its seeds, and a key of the numbers.

    The key is sorted by the STS average, so that number 1 is the best.
    """
    methods = _methods(by_label(rows, names, LONGEST))
    if not methods:
        return no_data()
    lines = [line for n, method in enumerate(methods, start=1) for line in method.lines(n)]
    if len(lines) <= KEY_ROWS:  # the key stands beside the panel
        across = 1
        figure = new_figure(PAGE, max(SHAPE[1], KEY_LINE * len(lines) + 0.5))
        axes, key = figure.subplots(1, 2, width_ratios=(SHAPE[0], PAGE - SHAPE[0]))
    else:  # below it
        across = ACROSS
        height = KEY_LINE * -(-len(lines) // across)
        figure = new_figure(PAGE, SHAPE[1] + 0.6 + height)
        axes, key = figure.subplots(2, 1, height_ratios=(SHAPE[1], height))
    places = _places(methods)
    _draw_points(axes, methods, places)
    _write_key(key, lines, across)
    for n, (method, place) in enumerate(zip(methods, places, strict=True), start=1):
        write_beside(axes, _mark_text(n, method, place), place)
    return figure


def _methods(models: dict[str, Rows]) -> list[Method]:
    """Return the methods that have both measures, the highest average first."""
    methods = []
    for label, rows in models.items():
        places = [place for row in rows if (place := values(row, "uniformity", "alignment"))]
        scores = numbers(rows, "average")
        if places:
            x, y = (fmean(place[axis] for place in places) for axis in (0, 1))
            methods.append(Method(label, x, y, 100 * fmean(scores) if scores else None))
    return sorted(methods, key=lambda method: -(method.average or -100.0))


def _places(methods: list[Method]) -> Points:
    """Return where each method is drawn: at the border if it lies far from the others."""
    x = _limited([method.uniformity for method in methods])
    y = _limited([method.alignment for method in methods])
    return list(zip(x, y, strict=True))


def _limited(numbers: list[float]) -> list[float]:
    low, high = np.quantile(numbers, (0.25, 0.75))
    reach = FAR * (high - low)
    return np.clip(numbers, low - reach, high + reach).tolist()


def _mark_text(number: int, method: Method, place: tuple[float, float]) -> str:
    """Return the number of a method; of one that is drawn elsewhere, its values, too."""
    if place == (method.uniformity, method.alignment):
        return str(number)
    return f"{number}: {rounded(method.uniformity)}, {rounded(method.alignment)}"


def _draw_points(axes: Axes, methods: list[Method], places: Points) -> None:
    pairs = list(zip(places, [method.average for method in methods], strict=True))
    without = [place for place, average in pairs if average is None]
    axes.plot(*columns(without), "x", color=SOFT, markersize=4)
    scored = [(place, average) for place, average in pairs if average is not None]
    averages = [average for _, average in scored]
    shown = axes.scatter(
        *columns([place for place, _ in scored]),
        c=_limited(averages) if averages else [],
        cmap=matplotlib.colormaps[COLOURS].resampled(SHADES),
        edgecolors=INK,
        linewidths=0.5,
        s=20,
        zorder=3,
    )
    if scored:
        title = "STS average (ρ × 100)"
        axes.figure.colorbar(shown, ax=axes, location="top", label=title, aspect=40)
    axes.margins(0.1)
    axes.set_xlabel("Uniformity (lower is better)")
    axes.set_ylabel("Alignment (lower is better)")


def _write_key(key: Axes, lines: list[str], across: int) -> None:
    """Write number, average and label of each method, in so many columns."""
    key.set_axis_off()
    key.set_xlim(0, 1)
    down = max(-(-len(lines) // across), MOST_SPREAD)
    for place, text in enumerate(lines):
        column, line = divmod(place, down)
        key.text(column / across, 1 - line / down, text, fontsize=SMALL, va="top")
