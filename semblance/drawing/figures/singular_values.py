"""Singular spectra of embeddings, each relative to its largest value (SimCSE, Figure F.1)."""

from statistics import fmean

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from semblance.drawing.series import Points, columns, points
from semblance.drawing.style import COLUMN, Look, legend_below, legend_height, looks, new_figure
from semblance.drawing.text import Names, Rows, by_label, grouped

LEAST = 1e-4  # of the largest: below it lies what arithmetic leaves of a value of 0
MARKED = 10  # markers of a line, at most


def draw(rows: Rows, names: Names) -> Figure:
    """Draw the position of each singular value against its share of the largest, on a log scale.

    Each seed of a model is thin, their mean thick.
    """
    models = by_label(rows, names)
    figure = new_figure(COLUMN, 2.0 + legend_height(len(models)))
    axes = figure.add_subplot()
    for label, look in looks(models).items():
        seeds = grouped(models[label], "corpus", "seed").values()
        lines = [points(seed, "position", "relative") for seed in seeds]
        lines = [[point for point in line if point[1] >= LEAST] for line in lines]
        _draw_seeds(axes, lines, label, look)
    axes.set_yscale("log")
    axes.set_ylim(bottom=min(axes.get_ylim()[0], 0.08))  # 1 and 0.1 have their ticks
    axes.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{share:g}"))  # 0.1, not 10⁻¹
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("Singular value, by size")
    axes.set_ylabel("Share of the largest")
    legend_below(figure, axes)
    return figure


def _draw_seeds(axes: Axes, seeds: list[Points], label: str, look: Look) -> None:
    """Draw the line of each seed, and with its label that of their mean at each common x."""
    if len(seeds) > 1:
        for line in seeds:
            axes.plot(*columns(line), color=look["color"], alpha=0.4, linewidth=0.6)
    values = [dict(line) for line in seeds]
    common = sorted(set.intersection(*map(set, values)))
    middle = [(x, fmean(value[x] for value in values)) for x in common]
    every = max(1, -(-len(middle) // MARKED))
    axes.plot(*columns(middle), markevery=every, label=label, **look)
