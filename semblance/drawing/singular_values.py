"""Singular spectra of sentence embeddings, each relative to its largest value (SimCSE, Figure F.1)."""

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from semblance.drawing.series import Points, draw_seeds
from semblance.drawing.style import (
    COLUMN,
    legend_below,
    legend_height,
    looks,
    new_figure,
    no_data,
    styled,
)
from semblance.drawing.text import Names, Rows, by_label, grouped, values

LEAST = 1e-4  # of the largest: below it lies what arithmetic leaves of a value of 0


@styled
def draw(rows: Rows, names: Names) -> Figure:
    """Draw the position of each singular value against its share of the largest, on a log scale."""
    models = by_label(rows, names)
    if not models:
        return no_data()
    figure = new_figure(COLUMN, 2.0 + legend_height(len(models), 1))
    axes = figure.add_subplot()
    for (label, of_model), look in zip(models.items(), looks(models).values(), strict=True):
        seeds = grouped(of_model, "corpus", "seed").values()
        draw_seeds(axes, [_line(seed) for seed in seeds], label, look)
    axes.set_yscale("log")
    axes.set_ylim(bottom=min(axes.get_ylim()[0], 0.08))  # 1 and 0.1 have their ticks
    axes.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{share:g}"))  # 0.1, not 10⁻¹
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("Singular value, by size")
    axes.set_ylabel("Share of the largest")
    legend_below(figure, axes, 1)
    return figure


def _line(rows: Rows) -> Points:
    found = [values(row, "position", "relative") for row in rows]
    return [(point[0], point[1]) for point in found if point and point[1] >= LEAST]
