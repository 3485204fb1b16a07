"""Alignment and uniformity along training, from the first step to the last (SimCSE, Figure 2)."""

import itertools

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semblance.drawing.series import Points, columns
from semblance.drawing.style import (
    COLUMN,
    Look,
    legend_below,
    legend_height,
    looks,
    new_figure,
    write_beside,
)
from semblance.drawing.text import Names, Rows, by_label, grouped, values

Place = tuple[float, float]


def draw(rows: Rows, names: Names) -> Figure:
    """Draw uniformity against alignment: a line a model, an arrow along it, its ends' steps."""
    models = by_label(rows, names)
    figure = new_figure(COLUMN, 2.3 + legend_height(len(models)))
    axes = figure.add_subplot()
    ends: dict[tuple[str, Place], None] = {}  # of each line; equal ones once
    for label, look in looks(models).items():
        for of_seed in grouped(models[label], "corpus", "seed").values():
            steps = [values(row, "step", "uniformity", "alignment") for row in of_seed]
            steps = sorted(filter(None, steps))
            _draw_line(axes, [(x, y) for _, x, y in steps], label, look)
            label = "_"  # one entry of the legend for all seeds
            ends |= {(f"step {step:.0f}", (x, y)): None for step, x, y in steps[:1] + steps[-1:]}
    for text, place in ends:
        write_beside(axes, text, place)
    axes.margins(0.15)
    axes.set_xlabel("Uniformity (lower is better)")
    axes.set_ylabel("Alignment (lower is better)")
    legend_below(figure, axes)
    return figure


def _draw_line(axes: Axes, line: Points, label: str, look: Look) -> None:
    axes.plot(*columns(line), markersize=2.5, label=label, **look)
    pairs = list(itertools.pairwise(line))
    if pairs:
        start, end = max(pairs, key=lambda pair: abs(pair[1][0] - pair[0][0]))
        arrow = {"arrowstyle": "-|>", "color": look["color"], "shrinkA": 0, "shrinkB": 0}
        middle, tail = _between(start, end, 0.5), _between(start, end, 0.49)
        axes.annotate("", xy=middle, xytext=tail, arrowprops=arrow)


def _between(start: Place, end: Place, share: float) -> Place:
    """Return the place at a share of the way from one place to another."""
    (x, y), (end_x, end_y) = start, end
    return x + share * (end_x - x), y + share * (end_y - y)
