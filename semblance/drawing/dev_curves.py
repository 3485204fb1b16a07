"""The dev score along training: each seed thin, the mean of the seeds thick."""

from matplotlib.figure import Figure

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


@styled
def draw(rows: Rows, names: Names) -> Figure:
    """Draw steps against the dev score times 100, a line for each model and seed."""
    models = by_label(rows, names)
    if not models:
        return no_data()
    figure = new_figure(COLUMN, 2.0 + legend_height(len(models), 1))
    axes = figure.add_subplot()
    for (label, of_model), look in zip(models.items(), looks(models).values(), strict=True):
        draw_seeds(axes, [_line(seed) for seed in _seeds(of_model)], label, look)
    axes.set_xlabel("Training step")
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_ylabel("STS-B dev (ρ × 100)")
    legend_below(figure, axes, 1)
    return figure


def _seeds(rows: Rows) -> list[Rows]:
    return list(grouped(rows, "corpus", "seed").values())


def _line(rows: Rows) -> Points:
    found = [values(row, "step", "dev") for row in rows]
    return [(point[0], 100 * point[1]) for point in found if point]
