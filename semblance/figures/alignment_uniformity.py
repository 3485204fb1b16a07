"""Alignment against uniformity of every model, coloured by its STS average (SimCSE, Figure 3)."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from semblance import drawing
from semblance.counts import MINUS, rounded
from semblance.figures import Row
from semblance.reporting.scores import whole_scores

COLUMNS = dict.fromkeys(("alignment", "uniformity", "average"), float)
COLOURS = "cividis"  # dark to light in grey, too
SHADES = 24  # few, so that the scale is drawn by lines and not as a picture
HEIGHT = 3.4  # inches of the panel and of its scale of colours
ACROSS = 5  # entries of the legend beside each other
LONGEST = 90  # characters of a label
OUTLINE = {"markeredgecolor": drawing.INK, "markeredgewidth": 0.5, "markersize": 5}
FAR = 4  # interquartile ranges beyond the quartiles: what lies further out is drawn at the border


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

    family: str
    label: str
    uniformity: float
    alignment: float
    average: float | None

    @property
    def words(self) -> str:
        """Its label and its numbers."""
        average = rounded(self.average, 1) or MINUS
        measures = f"uniformity {rounded(self.uniformity)}, alignment {rounded(self.alignment)}"
        return f"{self.label}: STS average {average}, {measures}"


def draw(rows: drawing.Rows, names: drawing.Names) -> drawing.Figure:
    """Draw a point for each method, the mean of its seeds, coloured by its STS average.

    The shape is that of the family: the methods whose names begin with the same word. In an SVG each
    point names its method to whoever points at it: 54 labels beside their points cover each other.
    """
    methods = _methods(drawing.by_label(rows, names, LONGEST))
    if not methods:
        return drawing.no_data()
    sizes = Counter(sorted(method.family for method in methods))
    shapes = dict(zip(sizes, itertools.cycle(drawing.MARKERS)))
    down = -(-len(sizes) // ACROSS)
    figure = drawing.new_figure(drawing.PAGE, HEIGHT + drawing.LINE * (down + 1))
    axes = figure.add_subplot()
    x, y = (_limited([method[axis] for method in methods]) for axis in (2, 3))
    averages = [method.average for method in methods if method.average is not None]
    colours = _colours(axes, averages) if averages else None
    elsewhere = []
    for method, *place in zip(methods, x, y, strict=True):
        colour = drawing.PAPER if method.average is None else colours(method.average)
        look = {"color": colour, "marker": shapes[method.family]} | OUTLINE
        axes.plot(*place, gid=f"{drawing.NAMED}{method.words}", **look)
        if tuple(place) != method[2:4]:
            values = ", ".join(map(rounded, method[2:4]))
            elsewhere.append(f"at the border: {drawing.clean(method.label)} ({values})")
    for family, number in sizes.items():
        look = {"color": drawing.PAPER, "marker": shapes[family], "linestyle": ""} | OUTLINE
        axes.plot([], [], label=f"{family} ({number})", **look)
    # Few models are good in both measures, so that there is room at the lower left.
    axes.text(0.01, 0.02, "\n".join(elsewhere), transform=axes.transAxes, fontsize=drawing.SMALL)
    axes.margins(0.1)
    axes.set_xlabel("Uniformity (lower is better)")
    axes.set_ylabel("Alignment (lower is better)")
    drawing.legend_below(figure, ACROSS)
    best = methods[0].words if averages else "none, as test sets are missing"
    figure.set_label(f"Of {len(methods)} models, the highest STS average has {best}")
    return figure


def _methods(models: dict[str, drawing.Rows]) -> list[Method]:
    """Return the methods that have both measures, the highest average first."""
    methods = []
    for label, rows in models.items():
        if places := drawing.points(rows, "uniformity", "alignment"):
            scores = drawing.numbers(rows, "average")
            average = 100 * fmean(scores) if scores else None
            family = drawing.clean(rows[0]["method"].partition("-")[0], 16)
            methods.append(Method(family, label, *map(fmean, zip(*places, strict=True)), average))
    return sorted(methods, key=lambda method: -(method.average or -100.0))


def _limited(numbers: list[float]) -> list[float]:
    """Return numbers, those far from the others at the border of what is drawn."""
    low, high = np.quantile(numbers, (0.25, 0.75))
    reach = FAR * (high - low)
    return np.clip(numbers, low - reach, high + reach).tolist()


def _colours(axes: drawing.Axes, averages: list[float]) -> Callable[[float], Any]:
    """Return the colour of an average, and draw their scale above the panel."""
    import matplotlib.cm

    shades = matplotlib.colormaps[COLOURS].resampled(SHADES)
    scale = matplotlib.cm.ScalarMappable(cmap=shades)
    scale.set_array(_limited(averages))
    title = "STS average (ρ × 100)"
    axes.figure.colorbar(scale, ax=axes, location="top", label=title, aspect=80)
    return scale.to_rgba
