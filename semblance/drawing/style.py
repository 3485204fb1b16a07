"""One look for all figures: sizes of print, one typeface, and a palette that reads in grey, too."""

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, ParamSpec, TypeVar

import matplotlib.style
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semblance.drawing.text import Names, Rows

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
THEME = {
    "ink": INK,
    "paper": PAPER,
    "grid": GRID,
    "soft": SOFT,
    "band": BAND,
    **{f"series-{i}": colour for i, colour in enumerate(SERIES, start=1)},
}
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
P = ParamSpec("P")
R = TypeVar("R")


class Look(NamedTuple):
    """How one series differs from the others: by colour, and without it by marker and dashes."""

    colour: str
    marker: str
    dashes: str | tuple


def styled(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function draw in this look, whatever the user's own settings of matplotlib are."""

    @functools.wraps(function)
    def inside(*args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function in this look."""
        with matplotlib.style.context(["default", RC]):
            return function(*args, **kwargs)

    return inside


def drawing(function: Callable[[Rows, Names], Figure]) -> Callable[[Rows, Names], Figure]:
    """Let a function draw the rows of a figure in this look; without a row the figure says so."""

    @functools.wraps(function)
    def inside(rows: Rows, names: Names) -> Figure:
        """Draw the rows, if there is one."""
        return function(rows, names) if rows else no_data()

    return styled(inside)


def looks(names: Iterable[str]) -> dict[str, Look]:
    """Return the look of each series, by its place."""
    return dict(zip(names, _looks(), strict=False))


def _looks() -> Iterator[Look]:
    place = 0
    while True:
        colour = SERIES[place % len(SERIES)]
        marker = MARKERS[place % len(MARKERS)]
        yield Look(colour, marker, DASHES[place % len(DASHES)])
        place += 1


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of a size in inches, which makes room for its texts by itself."""
    return Figure(figsize=(width, height), layout="constrained")


def no_data() -> Figure:
    """Return the figure of a CSV without rows, which says so."""
    figure = new_figure(COLUMN, 4 * LINE)
    figure.text(0.5, 0.5, "no data", ha="center", va="center", color=SOFT)
    return figure


def legend_below(figure: Figure, axes: Axes, columns: int) -> None:
    """Put the legend of a panel below the whole figure, where it covers nothing."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(columns, len(labels)))


def legend_height(count: int, columns: int) -> float:
    """Return the inches of a legend of so many entries."""
    return LINE * -(-count // columns) + 0.1
