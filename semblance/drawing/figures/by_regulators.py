"""The STS average against the number of regulators (RCL, Table 4)."""

from matplotlib.figure import Figure

from semblance.drawing.series import draw_series, keep_high, references
from semblance.drawing.style import COLUMN, legend_below, new_figure
from semblance.drawing.text import Names, Rows, clean, grouped, value


def draw(rows: Rows, names: Names) -> Figure:
    """Draw a line for each base and corpus: a dot for each seed, a line through their means.

    A model without a number of regulators, the base before any training, is a level line.
    """
    figure = new_figure(COLUMN, 2.3)
    axes = figure.add_subplot()
    counted = [row for row in rows if value(row, "regulators") is not None]
    lines = grouped(counted, "base", "corpus")
    series = {clean(" · ".join(key)): rows_of_line for key, rows_of_line in lines.items()}
    if len(series) == 1:
        series = {"mean of the seeds": counted}
    draw_series(axes, series, "regulators")
    shown = references(axes, [row for row in rows if row not in counted], names)
    keep_high(axes)
    axes.set_xlabel("Number of regulators")
    if shown > 0 or len(series) > 1:
        legend_below(figure, axes)
    return figure
