"""Singular spectra of embeddings, each relative to its largest value (SimCSE, Figure F.1)."""

from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from semblance.drawing.series import draw_models
from semblance.drawing.text import Names, Rows

LEAST = 1e-4  # of the largest: below it lies what arithmetic leaves of a value of 0


def draw(rows: Rows, names: Names) -> Figure:
    """Draw the position of each singular value against its share of the largest, on a log scale."""
    figure, axes = draw_models(rows, names, "position", "relative", least=LEAST)
    axes.set_yscale("log")
    axes.set_ylim(bottom=min(axes.get_ylim()[0], 0.08))  # 1 and 0.1 have their ticks
    axes.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{share:g}"))  # 0.1, not 10⁻¹
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("Singular value, by size")
    axes.set_ylabel("Share of the largest")
    return figure
