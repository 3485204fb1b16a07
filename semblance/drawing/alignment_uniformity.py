"""Alignment against uniformity of every model, coloured by its STS average (SimCSE, Figure 3)."""

from typing import NamedTuple

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semblance.drawing.placing import Mark, write_clear
from semblance.drawing.style import INK, PAGE, SMALL, SOFT, drawing, new_figure, no_data
from semblance.drawing.text import MINUS, Names, Rows, by_label, mean, values

COLOURS = "cividis"  # dark to light in grey, too
SHADES = 24  # few, so that the scale is drawn by lines and not as a picture
SHAPE = (3.3, 3.2)  # inches of the panel
KEY_ROWS = 28  # lines of a key beside the panel; a longer one stands below it
KEY_LINE = 0.13  # inches
ACROSS = 2  # columns of a key below
MOST_SPREAD = 22  # lines over the height of the key, at least
LONGEST = 46  # characters of a label
FIGURE_SPACE = "\u2007"  # as wide as a digit


class Method(NamedTuple):
    """The means over the seeds of a method; the average is None where a test set is missing."""

    label: str
    uniformity: float
    alignment: float
    average: float | None


@drawing
def draw(rows: Rows, names: Names) -> Figure:
    """Draw a numbered point for each method, the mean of its seeds, and a key of the numbers.

    The key is sorted by the STS average, so that number 1 is the best.
    """
    methods = _methods(by_label(rows, names, LONGEST))
    if not methods:
        return no_data()
    if len(methods) <= KEY_ROWS:  # the key stands beside the panel
        across = 1
        figure = new_figure(PAGE, max(SHAPE[1], KEY_LINE * len(methods) + 0.5))
        axes, key = figure.subplots(1, 2, width_ratios=(SHAPE[0], PAGE - SHAPE[0]))
    else:  # below it
        across = ACROSS
        height = KEY_LINE * -(-len(methods) // across)
        figure = new_figure(PAGE, SHAPE[1] + 0.6 + height)
        axes, key = figure.subplots(2, 1, height_ratios=(SHAPE[1], height))
    _draw_points(axes, methods)
    _write_key(key, methods, across)
    numbered = enumerate(methods, start=1)
    marks = [Mark(str(n), method.uniformity, method.alignment) for n, method in numbered]
    write_clear(figure, axes, marks, [(mark.x, mark.y) for mark in marks])
    return figure


def _methods(models: dict[str, Rows]) -> list[Method]:
    """Return the methods that have both measures, the highest average first."""
    found = []
    for label, rows in models.items():
        places = [place for row in rows if (place := values(row, "uniformity", "alignment"))]
        scores = [score[0] for row in rows if (score := values(row, "average"))]
        if places:
            x, y = (mean(place[axis] for place in places) for axis in (0, 1))
            found.append(Method(label, x, y, 100 * mean(scores) if scores else None))
    return sorted(found, key=lambda method: -(method.average or -100.0))


def _draw_points(axes: Axes, methods: list[Method]) -> None:
    without = [method for method in methods if method.average is None]
    scored = [method for method in methods if method.average is not None]
    axes.plot(*_places(without), "x", color=SOFT, markersize=4)
    shown = axes.scatter(
        *_places(scored),
        c=[method.average for method in scored],
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


def _places(methods: list[Method]) -> tuple[list[float], list[float]]:
    return [method.uniformity for method in methods], [method.alignment for method in methods]


def _write_key(key: Axes, methods: list[Method], across: int) -> None:
    """Write number, average and label of each method, in so many columns."""
    key.set_axis_off()
    key.set_xlim(0, 1)
    down = max(-(-len(methods) // across), MOST_SPREAD)
    digits = len(str(len(methods)))
    for place, method in enumerate(methods):
        average = MINUS
        if method.average is not None:
            average = f"{method.average:.1f}".replace("-", MINUS)
        column, line = divmod(place, down)
        number = str(place + 1).rjust(digits, FIGURE_SPACE)
        text = f"{number}   {average}   {method.label}"
        key.text(column / across, 1 - line / down, text, fontsize=SMALL, va="top")
