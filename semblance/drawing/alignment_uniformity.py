"""Alignment against uniformity of every model, coloured by its STS average (SimCSE, Figure 3)."""

from typing import NamedTuple

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semblance.drawing.placing import Mark, write_clear
from semblance.drawing.style import INK, PAGE, SMALL, SOFT, new_figure, no_data, styled
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


@styled
def draw(rows: Rows, names: Names) -> Figure:
    """Draw a numbered point for each method, the mean of its seeds, and a key of the numbers.

    The key is sorted by the STS average, so that number 1 is the best.
    """
    methods = _methods(by_label(rows, names, LONGEST))
    if not methods:
        return no_data()
    figure, axes, key, across = _layout(len(methods))
    _draw_points(axes, methods)
    _write_key(key, methods, across)
    marks = [
        Mark(str(number), method.uniformity, method.alignment)
        for number, method in enumerate(methods, start=1)
    ]
    write_clear(figure, axes, marks, [(mark.x, mark.y) for mark in marks])
    return figure


def _layout(count: int) -> tuple[Figure, Axes, Axes, int]:
    """Return a figure, its panel, the place of its key and the key's columns.

    A short key stands beside the panel, a long one below it.
    """
    if count <= KEY_ROWS:
        figure = new_figure(PAGE, max(SHAPE[1], KEY_LINE * count + 0.5))
        axes, key = figure.subplots(1, 2, width_ratios=(SHAPE[0], PAGE - SHAPE[0]))
        return figure, axes, key, 1
    height = KEY_LINE * -(-count // ACROSS)
    figure = new_figure(PAGE, SHAPE[1] + 0.6 + height)
    axes, key = figure.subplots(2, 1, height_ratios=(SHAPE[1], height))
    return figure, axes, key, ACROSS


def _methods(models: dict[str, Rows]) -> list[Method]:
    """Return the methods that have both measures, the highest average first."""
    found = []
    for label, rows in models.items():
        places = [place for row in rows if (place := values(row, "uniformity", "alignment"))]
        scores = [score[0] for row in rows if (score := values(row, "average"))]
        if places:
            x = mean(place[0] for place in places)
            y = mean(place[1] for place in places)
            found.append(Method(label, x, y, _average(scores)))
    return sorted(found, key=lambda method: -(method.average or -100.0))


def _average(scores: list[float]) -> float | None:
    if not scores:
        return None
    return 100 * mean(scores)


def _draw_points(axes: Axes, methods: list[Method]) -> None:
    averages = [method.average for method in methods if method.average is not None]
    without = [method for method in methods if method.average is None]
    scored = [method for method in methods if method.average is not None]
    axes.plot(*_places(without), "x", color=SOFT, markersize=4)
    shown = axes.scatter(
        *_places(scored),
        c=averages,
        cmap=matplotlib.colormaps[COLOURS].resampled(SHADES),
        edgecolors=INK,
        linewidths=0.5,
        s=20,
        zorder=3,
    )
    if scored:
        axes.figure.colorbar(
            shown, ax=axes, location="top", label="STS average (ρ × 100)", aspect=40
        )
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
