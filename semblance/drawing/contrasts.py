"""A forest plot: every method against its control, a panel a table."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.transforms import blended_transform_factory

from semblance.drawing.style import BAND, INK, LINE, PAGE, PAPER, SERIES, drawing, new_figure
from semblance.drawing.text import Names, Rows, clean, grouped, value

ROW = 1.25 * LINE
HEAD = 0.62  # inches of a panel for its title and its axis
WIDEST = 3.0  # an interval is cut where it is so many times as far from 0 as any difference
OURS = SERIES[0]
PAPERS = SERIES[4]
OF_SEEDS = {"color": PAPER, "markeredgecolor": INK, "markeredgewidth": 0.5, "markersize": 2.6}
COLUMNS = {"map": "MAP", "stsb-dev": "STS-B dev", "mean": "Average", "transfer-dev": "Average"}
INTERVALS = {  # of a method, the one that is drawn below first
    ("low", "high"): {"color": OURS, "linewidth": 3},
    ("bootstrap_low", "bootstrap_high"): {"color": INK, "linewidth": 0.8},
}


@drawing
def draw(rows: Rows, names: Names) -> Figure:
    """Draw the differences in points, from the rows of ``reporting.figures.contrasts``.

    A thick line is the interval over seeds, a thin one that over seeds and test items; an interval
    that reaches beyond the panel ends in a triangle at its border. ``names`` is not used: the rows
    have the labels of their table.
    """
    tables = grouped(rows, "table")
    shown = {table: grouped(found, "protocol", "label") for table, found in tables.items()}
    heights = [HEAD + ROW * len(found) for found in shown.values()]
    figure = new_figure(PAGE, sum(heights) + 2.2 * LINE)
    panels = figure.subplots(len(shown), 1, squeeze=False, height_ratios=heights)[:, 0]
    for axes, found in zip(panels, shown.values(), strict=True):
        _draw_table(axes, list(found.values()))
    legend = [
        Line2D([], [], color=OURS, linewidth=3, marker="o", markersize=4, label="95 %, seeds"),
        Line2D([], [], color=INK, linewidth=0.8, label="95 %, seeds and items"),
        Line2D([], [], marker="o", linestyle="", label="one seed", **OF_SEEDS),
        Line2D([], [], color=PAPERS, marker="D", linestyle="", markersize=4, label="paper"),
        Patch(facecolor=BAND, label="counts as equal"),
    ]
    figure.legend(handles=legend, loc="outside lower center", ncols=5)
    return figure


def _draw_table(axes: Axes, groups: list[Rows]) -> None:
    first = groups[0][0]
    margin = value(first, "margin") or 0.0
    reach = _reach([row for rows in groups for row in rows], margin)
    axes.axvspan(-margin, margin, color=BAND, linewidth=0, zorder=0)
    axes.axvline(0, color=INK, linewidth=0.6, zorder=1)
    for place, rows in enumerate(groups):
        for row in rows:
            if row["seed"] in ("", None):
                _draw_method(axes, place, row, reach)
        seeds = [value(row, "difference") for row in rows if row["seed"] not in ("", None)]
        axes.plot(seeds, [place] * len(seeds), "o", zorder=5, **OF_SEEDS)
    axes.set_xlim(-reach, reach)
    axes.set_ylim(len(groups) - 0.4, -0.6)
    protocols = {rows[0]["protocol"] for rows in groups}
    controls = {rows[0]["control"] for rows in groups}
    labels = [_label(rows[0], len(protocols) > 1, len(controls) > 1) for rows in groups]
    axes.set_yticks(range(len(groups)), labels)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)
    _write_title(axes, clean(first["title"], 100))
    column = COLUMNS.get(first["column"]) or clean(first["column"], 20)
    control = clean(controls.pop()) if len(controls) == 1 else "the control"
    axes.set_xlabel(f"{column}: points above {control}")


def _label(row: dict, with_protocol: bool, with_control: bool) -> str:
    """Return the label of a method, with what differs within its table."""
    label = clean(row["label"], 64)
    if with_protocol:
        label = f"{label} · {clean(row['protocol'], 12)}"
    if with_control:
        label = f"{label} against {clean(row['control'], 32)}"
    return label


def _write_title(axes: Axes, title: str) -> None:
    """Write a title from the left border of the figure, where the labels begin."""
    axes.set_title(" ")  # makes the room
    place = blended_transform_factory(axes.figure.transSubfigure, axes.transAxes)
    text = axes.text(0.008, 1.0, title, transform=place, fontweight="bold", va="bottom")
    text.set_in_layout(False)


def _reach(rows: Rows, margin: float) -> float:
    """Return how far a panel reaches to both sides: to all differences, to intervals if near."""
    inner = [abs(value(row, name) or 0) for row in rows for name in ("difference", "published")]
    most = max([margin, *inner])
    outer = [abs(value(row, name) or 0) for row in rows for ends in INTERVALS for name in ends]
    return 1.08 * max([1.2 * most, *(end for end in outer if end <= WIDEST * most)])


def _draw_method(axes: Axes, place: int, row: dict, reach: float) -> None:
    for names, look in INTERVALS.items():
        low, high = (value(row, name) for name in names)
        if low is None or high is None:
            continue
        axes.hlines(place, max(low, -reach), min(high, reach), zorder=3, **look)
        cut = {"color": INK, "markersize": 3, "clip_on": False, "zorder": 7}
        if low < -reach:
            axes.plot(-reach, place, "<", **cut)
        if high > reach:
            axes.plot(reach, place, ">", **cut)
    axes.plot(value(row, "difference"), place, "o", color=OURS, markersize=4.5, zorder=4)
    published = value(row, "published")
    if published is not None:
        axes.plot(published, place, "D", color=PAPERS, markersize=4, zorder=6)
