"""Alignment and uniformity along training, from the first step to the last (SimCSE, Figure 2)."""

import itertools

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semblance.drawing.placing import Mark, write_clear
from semblance.drawing.series import Points, columns
from semblance.drawing.style import (
    COLUMN,
    Look,
    legend_below,
    legend_height,
    looks,
    new_figure,
)
from semblance.drawing.text import Names, Rows, by_label, grouped, values

PARTS = 24  # of the line between two steps
Place = tuple[float, float]


def draw(rows: Rows, names: Names) -> Figure:
    """Draw uniformity against alignment: a line a model, an arrow along it, its ends' steps."""
    models = by_label(rows, names)
    figure = new_figure(COLUMN, 2.3 + legend_height(len(models)))
    axes = figure.add_subplot()
    covered: Points = []
    ends: dict[Mark, None] = {}  # the first and the last step of each line; equal places once
    for label, look in looks(models).items():
        for of_seed in grouped(models[label], "corpus", "seed").values():
            steps = [values(row, "step", "uniformity", "alignment") for row in of_seed]
            steps = sorted(filter(None, steps))
            line = [(x, y) for _, x, y in steps]
            _draw_line(axes, line, label, look)
            label = "_"  # one entry of the legend for all seeds
            covered += _along(line)
            ends |= {Mark(f"step {step:.0f}", x, y): None for step, x, y in steps[:1] + steps[-1:]}
    axes.margins(0.15)
    axes.set_xlabel("Uniformity (lower is better)")
    axes.set_ylabel("Alignment (lower is better)")
    legend_below(figure, axes)
    write_clear(figure, axes, list(ends), covered)
    return figure


def _along(line: Points) -> Points:
    """Return points of a line so near each other that no label fits between them."""
    found = line[:1]
    for start, end in itertools.pairwise(line):
        found += [_between(start, end, part / PARTS) for part in range(1, PARTS + 1)]
    return found


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
