"""The STS average of entropy models against φ, a line for each form of the loss (RCL, Table 5)."""

from matplotlib.figure import Figure

from semblance.drawing.series import draw_series, keep_high, references
from semblance.drawing.style import COLUMN, legend_below, legend_height, new_figure
from semblance.drawing.text import Names, Rows, by_label, clean, grouped, value


def draw(rows: Rows, names: Names) -> Figure:
    """Draw a line for each form of the loss: a dot for each seed, a line through their means.

    The models without a φ are level lines.
    """
    entropy = [row for row in rows if value(row, "phi") is not None]
    series = {
        clean(form): rows_of_form for (form,), rows_of_form in grouped(entropy, "form").items()
    }
    others = [row for row in rows if row not in entropy]
    height = legend_height(len(series) + len(by_label(others, names)))
    figure = new_figure(COLUMN, 2.0 + height)
    axes = figure.add_subplot()
    draw_series(axes, series, "phi")
    references(axes, others, names)
    keep_high(axes)
    axes.set_xlabel("φ of the entropy model")
    legend_below(figure, axes)
    return figure
