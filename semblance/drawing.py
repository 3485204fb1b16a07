"""What all drawings share: one look, labels that a drawing can hold, and the files of a figure.

matplotlib is imported where something is drawn, because the module of a figure also makes its rows.
"""

import atexit
import contextlib
import csv
import io
import os
import re
import shutil
import tempfile
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from semblance.counts import MINUS, signed
from semblance.figures import FigureRun, Row
from semblance.named_modules import FIGURES, load_module

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
else:
    Axes = Figure = Any

# matplotlib reads it when it is imported, and a notebook's does not exist in a program of its own.
os.environ.pop("MPLBACKEND", None)

COLUMN = 3.3  # inches: one column of a paper
PAGE = 6.9  # inches: both columns
LINE = 0.145  # inches: the height of a line of text
SIZE = 8  # points
SMALL = 7
DPI = 300
MOST = 48  # characters of a label

INK = "#1b1b1b"
PAPER = "#ffffff"
GRID = "#d9d9d9"
SOFT = "#6b6b6b"  # references, and what is said beside the data
BAND = "#ececec"  # the margin within which a difference counts as none
# Okabe and Ito's colours, which the colour-blind tell apart; neighbours differ in lightness.
SERIES = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#7a5ca8")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "p", "h")
DASHES = ("-", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.5, 1.5)))
RC = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"],
    "font.size": SIZE,
    "axes.titlesize": SIZE,
    **dict.fromkeys(("legend.fontsize", "xtick.labelsize", "ytick.labelsize"), SMALL),
    "text.parse_math": False,  # a label with $ is no formula
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor"), INK),
    **dict.fromkeys(("xtick.color", "ytick.color"), INK),
    **dict.fromkeys(("axes.linewidth", "xtick.major.width", "ytick.major.width"), 0.6),
    **dict.fromkeys(("xtick.major.size", "ytick.major.size"), 2.5),
    **dict.fromkeys(("axes.spines.top", "axes.spines.right", "legend.frameon"), False),
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.4,
    "lines.linewidth": 1.2,
    "lines.markersize": 3.5,
    "legend.handlelength": 2.4,
    "figure.facecolor": PAPER,
    "axes.facecolor": "none",
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "semblance",  # the same names in each file
    "path.simplify_threshold": 0.2,
}
NAMED = "name: "
NAMED_PART = re.compile(rf"""<g id=(["']){NAMED}(.*?)\1>""")
Look = dict[str, Any]  # the arguments with which a series is plotted
Names = Mapping[tuple[str, str, str], str]  # corpus, base and method of a model -> its label
Rows = Sequence[Row]
Points = list[tuple[float, float]]

# --- files -------------------------------------------------------------------------------------


@contextlib.contextmanager
def styled() -> Iterator[None]:
    """Draw in this look, whatever the user's own settings of matplotlib are."""
    if "MPLCONFIGDIR" not in os.environ:  # it would keep its list of fonts in the user's home
        os.environ["MPLCONFIGDIR"] = tempfile.mkdtemp(prefix="semblance-drawing-")
        atexit.register(shutil.rmtree, os.environ["MPLCONFIGDIR"], ignore_errors=True)
    import matplotlib.style

    with matplotlib.style.context(["default", RC]):
        yield


def read_rows(kind: str, path: str | Path) -> list[Row]:
    """Return the rows of a figure's CSV, in the types of its columns; None for an empty field."""
    types = FigureRun.__annotations__ | load_module(FIGURES, kind, "kind").COLUMNS
    with open(path, encoding="utf-8", newline="") as stream:
        return [
            {name: types[name](text) if text else None for name, text in line.items()}
            for line in csv.DictReader(stream)
        ]


@styled()
def draw_rows(kind: str, rows: Rows, names: Names) -> Figure:
    """Draw the rows of a kind of figure; without a row the figure says so."""
    if rows:
        return load_module(FIGURES, kind, "kind").draw(rows, names)
    return no_data()


@styled()
def svg_text(figure: Figure) -> str:
    """Return a figure as SVG, its texts as text and without a date; its title is what it shows.

    Each part whose ``gid`` begins with NAMED shows the rest of it to whoever points at it.
    """
    stream = io.StringIO()
    title = {"Title": figure.get_label()} if figure.get_label() else {}
    figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None} | title)
    text = NAMED_PART.sub(r"<g><title>\2</title>", stream.getvalue())
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


@styled()
def png_bytes(figure: Figure) -> bytes:
    """Return a figure as PNG of 300 dots an inch, on white."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=DPI, metadata={"Software": None})
    return stream.getvalue()


# --- labels and numbers ------------------------------------------------------------------------


def clean(text: Any, most: int = MOST) -> str:
    """Return a text as one short line without characters that control how others are shown."""
    words = " ".join(str(text)[: 20 * most].split())
    shown = "".join(c for c in words if not unicodedata.category(c).startswith("C"))
    return shown if len(shown) <= most else shown[: most - 1].rstrip() + "…"


def numbers(rows: Rows, column: str) -> list[float]:
    """Return the numbers that some rows have in a column."""
    return [row[column] for row in rows if row[column] is not None]


def points(rows: Rows, x: str, y: str) -> Points:
    """Return the points of the rows that have both numbers."""
    return [(row[x], row[y]) for row in rows if None not in (row[x], row[y])]


def grouped(rows: Iterable[Row], *columns: str) -> dict[tuple, list[Row]]:
    """Return the rows by their texts in some columns, in the order of the first of each."""
    groups: dict[tuple, list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[column] for column in columns), []).append(row)
    return groups


def by_label(rows: Iterable[Row], names: Names, most: int = MOST) -> dict[str, list[Row]]:
    """Return the rows by the label of their model, in the order of the first of each.

    A model without a label goes by its names. Two labels that are the same after they were cut
    are distinguished by a number.
    """
    groups: dict[str, list[Row]] = {}
    for model, of_model in grouped(rows, "corpus", "base", "method").items():
        label = clean(names.get(model) or " · ".join(reversed(model)), most)
        if label in groups or not label:
            label = f"{label} ({len(groups) + 1})"
        if label.startswith("_"):
            label = f"\u2009{label}"  # matplotlib would leave it out of the legend
        groups[label] = of_model
    return groups


# --- panels ------------------------------------------------------------------------------------


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of a size in inches, which makes room for its texts by itself."""
    import matplotlib.figure

    return matplotlib.figure.Figure(figsize=(width, height), layout="constrained")


def no_data() -> Figure:
    """Return a figure that says that it has nothing to show."""
    figure = new_figure(COLUMN, 4 * LINE)
    figure.text(0.5, 0.5, "no data", ha="center", va="center", color=SOFT)
    return figure


def one_panel(height: float, entries: int) -> tuple[Figure, Axes]:
    """Return a figure of one panel of a height, with room for a legend of so many entries."""
    figure = new_figure(COLUMN, height + LINE * entries + 0.1)
    return figure, figure.add_subplot()


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


def plot(axes: Axes, line: Points, *form: str, **look: Any) -> None:
    """Plot points, which may be none."""
    axes.plot([x for x, _ in line], [y for _, y in line], *form, **look)


def legend_below(figure: Figure, across: int = 1) -> None:
    """Put the legend of a panel below the whole figure, where it covers nothing."""
    figure.legend(loc="outside lower center", ncols=across)


# --- STS averages against a setting ------------------------------------------------------------

MOST_TICKS = 7
LEAST = 1.0  # points: a panel of scores is no lower, or noise would look like a gain
FAR = 1  # times the range of the lines: a level that lies further away is named in the legend alone


def draw_scores(
    series: Mapping[str, Rows], others: Rows, column: str, names: Names, setting: str
) -> Figure:
    """Draw STS averages against a setting: a dot for each seed, a line through their means.

    ``others`` are the rows without the setting: the mean of each of their models is a level line.
    """
    changes = []
    models = by_label(others, names)
    figure, axes = one_panel(2.0, len(series) + len(models))
    for label, look in looks(series).items():
        dots = [(x, 100 * y) for x, y in points(series[label], column, "average")]
        places = sorted({x for x, _ in dots})
        means = [(place, fmean(y for x, y in dots if x == place)) for place in places]
        plot(axes, dots, ".", color=look["color"], alpha=0.5, markeredgewidth=0)
        plot(axes, means, label=label, **look)
        if len(means) > 1:
            (first, before), (last, after) = means[0], means[-1]
            changes.append(
                f"{signed(after - before)} from {_setting(first)} to {_setting(last)}, {label}"
            )
    ticks = sorted({x for rows in series.values() for x in numbers(rows, column)})
    if 0 < len(ticks) <= MOST_TICKS:
        axes.set_xticks(ticks, list(map(_setting, ticks)))
    _draw_levels(axes, {label: numbers(rows, "average") for label, rows in models.items()})
    low, high = axes.get_ylim()
    aside = max(0.0, LEAST - (high - low)) / 2
    axes.set_ylim(low - aside, high + aside)
    axes.set_xlabel(setting)
    axes.set_ylabel("STS average (ρ × 100)")
    legend_below(figure)
    known = any(numbers(rows, "average") for rows in series.values())
    nothing = "is known at one setting alone" if known else "is not known"
    text = f"changes by {'; '.join(changes)}" if changes else nothing
    figure.set_label(f"{setting}: the STS average {text}")
    return figure


def _setting(number: float) -> str:
    return f"{number:g}".replace("-", MINUS)


def _draw_levels(axes: Axes, averages: Mapping[str, list[float]]) -> None:
    """Draw a level line at the mean of each model; name in the legend alone one that lies far."""
    lowest, highest = axes.dataLim.intervaly
    reach = FAR * max(highest - lowest, 0.0)
    for place, (label, of_model) in enumerate(averages.items()):
        if not of_model:
            continue
        score = 100 * fmean(of_model)
        dashes = DASHES[(place + 1) % len(DASHES)]
        look = {"color": (SOFT, INK)[place % 2], "linestyle": dashes, "linewidth": 0.8}
        if reach > 0 and not lowest - reach <= score <= highest + reach:
            axes.plot([], [], label=f"{label}: {score:.2f}, outside", **look)
        else:
            axes.axhline(score, label=label, **look)
