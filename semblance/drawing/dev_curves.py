"""The dev score along training: each seed thin, the mean of the seeds thick."""

from matplotlib.figure import Figure

from semblance.drawing.series import draw_models, keep_high
from semblance.drawing.text import Names, Rows


def draw(rows: Rows, names: Names) -> Figure:
    """Draw steps against the dev score times 100, a line for each model and seed."""
    figure, axes = draw_models(rows, names, "step", "dev", scale=100)
    keep_high(axes)
    axes.set_xlabel("Training step")
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_ylabel("STS-B dev (ρ × 100)")
    return figure
