"""One look for all figures: sizes of print, one typeface, and a palette that reads in grey, too."""

from collections.abc import Iterable
from typing import Any

import matplotlib.style
from matplotlib.axes import Axes
from matplotlib.figure import Figure

COLUMN = 3.3  # inches: one column of a paper
PAGE = 6.9  # inches: both columns
LINE = 0.145  # inches: the height of a line of text
SIZE = 8  # points
SMALL = 7

INK = "#1b1b1b"
PAPER = "#ffffff"
GRID = "#d9d9d9"
SOFT = "#6b6b6b"  # references, and what is said beside the data
BAND = "#ececec"  # the margin within which a difference counts as none
# Okabe and Ito's colours, which the colour-blind tell apart; neighbours differ in lightness.
SERIES = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#7a5ca8")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("-", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.5, 1.5)))
RC = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"],
    "font.size": SIZE,
    "axes.titlesize": SIZE,
    "axes.labelsize": SIZE,
    "legend.fontsize": SMALL,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "text.parse_math": False,  # a label with $ is no formula
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.4,
    "lines.linewidth": 1.2,
    "lines.markersize": 3.5,
    "legend.frameon": False,
    "legend.handlelength": 2.4,
    "figure.facecolor": PAPER,
    "axes.facecolor": "none",
    "savefig.facecolor": PAPER,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "semblance",  # the same names in each file
    "path.simplify_threshold": 0.2,
}
# Lets a function draw in this look, whatever the user's own settings of matplotlib are.
styled = matplotlib.style.context(["default", RC])
Look = dict[str, Any]  # the arguments with which a series is plotted


def looks(names: Iterable[str]) -> dict[str, Look]:
    """Return how each series differs: by colour, and without it by marker and dashes."""
    return {
        name: {
            "color": SERIES[place % len(SERIES)],
            "marker": MARKERS[place % len(MARKERS)],
            "linestyle": DASHES[place % len(DASHES)],
        }
        for place, name in enumerate(names)
    }


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of a size in inches, which makes room for its texts by itself."""
    return Figure(figsize=(width, height), layout="constrained")


def no_data() -> Figure:
    """Return the figure of a CSV without rows, which says so."""
    figure = new_figure(COLUMN, 4 * LINE)
    figure.text(0.5, 0.5, "no data", ha="center", va="center", color=SOFT)
    return figure


def write_beside(axes: Axes, text: str, place: tuple[float, float]) -> None:
    """Write a small label above and to the right of a place, in the data's units."""
    axes.annotate(text, place, xytext=(3, 3), textcoords="offset points", fontsize=SMALL)


def legend_below(figure: Figure, axes: Axes) -> None:
    """Put the legend of a panel below the whole figure, where it covers nothing."""
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center")


def legend_height(count: int) -> float:
    """Return the inches of a legend of so many entries."""
    return LINE * count + 0.1
