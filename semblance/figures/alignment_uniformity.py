"""Alignment against uniformity of every model, coloured by its STS average (SimCSE, Figure 3)."""

import textwrap
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import numpy as np

from semblance import drawing
from semblance.counts import MINUS, rounded
from semblance.figures import Row
from semblance.reporting.scores import whole_scores

COLUMNS = dict.fromkeys(("alignment", "uniformity", "average"), float)
COLOURS = "cividis"  # dark to light in grey, too
SHADES = 24  # few, so that the scale is drawn by lines and not as a picture
HEIGHT = 3.2  # inches of the panel
KEY_LINE = 0.13  # inches of a line of the key, which stands below in two columns
LONGEST, WRAPPED = 90, 46  # characters of a label, and of a line of it
FAR = 4  # interquartile ranges beyond the quartiles: what lies further out is drawn at the border
GAP = 3 * "\u2007"  # spaces as wide as a digit, which stay where HTML shows them


def rows(path: Path) -> Iterator[Row]:
    """Yield one row from the score file of a model.

    ``average``: the mean Spearman's ρ of the seven STS tasks, in [-1, 1]. A value is None if its
    score, or for the average one of the seven, is missing.
    """
    scores = whole_scores(path)
    yield {
        "alignment": scores.get(("stsb", "alignment")),
        "uniformity": scores.get(("stsb", "uniformity")),
        "average": scores["average", "spearman"],
    }


class Method(NamedTuple):
    """The means over the seeds of a method; the average is None where a test set is missing."""

    label: str
    uniformity: float
    alignment: float
    average: float | None


def draw(rows: drawing.Rows, names: drawing.Names) -> drawing.Figure:
    """Draw a numbered point for each method, the mean of its seeds, and below it a key.

    The key is sorted by the STS average, so that number 1 is the best.
    """
    methods = _methods(drawing.by_label(rows, names, LONGEST))
    if not methods:
        return drawing.no_data()
    lines = [line for n, method in enumerate(methods, start=1) for line in _key(n, method)]
    down = -(-len(lines) // 2)
    figure = drawing.new_figure(drawing.PAGE, HEIGHT + 0.6 + KEY_LINE * down)
    axes, key = figure.subplots(2, 1, height_ratios=(HEIGHT, KEY_LINE * down))
    x, y = (_limited([method[axis] for method in methods]) for axis in (1, 2))
    for n, (method, place) in enumerate(zip(methods, zip(x, y, strict=True), strict=True), start=1):
        text = str(n)
        if place != method[1:3]:  # it lies elsewhere
            text = f"{n}: {rounded(method.uniformity)}, {rounded(method.alignment)}"
        drawing.write_beside(axes, text, place)
    _draw_points(axes, x, y, [method.average for method in methods])
    key.set_axis_off()
    for place, text in enumerate(lines):
        column, line = divmod(place, down)
        key.text(column / 2, 1 - line / down, text, fontsize=drawing.SMALL, va="top")
    return figure


def _methods(models: dict[str, drawing.Rows]) -> list[Method]:
    """Return the methods that have both measures, the highest average first."""
    methods = []
    for label, rows in models.items():
        if places := drawing.points(rows, "uniformity", "alignment"):
            scores = drawing.numbers(rows, "average")
            means = map(fmean, zip(*places, strict=True))
            methods.append(Method(label, *means, 100 * fmean(scores) if scores else None))
    return sorted(methods, key=lambda method: -(method.average or -100.0))


def _key(number: int, method: Method) -> list[str]:
    """Return the lines of the key about a method: number, average and label."""
    first, *others = textwrap.wrap(method.label, WRAPPED) or [""]
    numbered = f"{number:>2}".replace(" ", GAP[0])
    average = rounded(method.average, 1) or MINUS
    return [GAP.join((numbered, average, first)), *(4 * GAP + other for other in others)]


def _limited(numbers: list[float]) -> list[float]:
    """Return numbers, those far from the others at the border of what is drawn."""
    low, high = np.quantile(numbers, (0.25, 0.75))
    reach = FAR * (high - low)
    return np.clip(numbers, low - reach, high + reach).tolist()


def _draw_points(
    axes: drawing.Axes, x: list[float], y: list[float], averages: list[float | None]
) -> None:
    """Draw a point for each method, coloured by its average; without one it is a cross."""
    import matplotlib

    scored = []
    for place, average in enumerate(averages):
        if average is not None:
            scored.append(place)
        else:
            axes.plot(x[place], y[place], "x", color=drawing.SOFT, markersize=4)
    if scored:
        marks = axes.scatter(
            [x[place] for place in scored],
            [y[place] for place in scored],
            c=_limited([averages[place] for place in scored]),
            cmap=matplotlib.colormaps[COLOURS].resampled(SHADES),
            **{"edgecolors": drawing.INK, "linewidths": 0.5, "s": 20, "zorder": 3},
        )
        title = "STS average (ρ × 100)"
        axes.figure.colorbar(marks, ax=axes, location="top", label=title, aspect=80)
    axes.margins(0.1)
    axes.set_xlabel("Uniformity (lower is better)")
    axes.set_ylabel("Alignment (lower is better)")
