"""A forest plot: every method against its control, a panel a table."""

from collections import Counter
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.transforms import blended_transform_factory

from semblance.counts import signed
from semblance.drawing.style import (
    BAND,
    INK,
    LINE,
    PAGE,
    PAPER,
    SERIES,
    SMALL,
    new_figure,
    styled,
)
from semblance.drawing.text import Names, Rows, clean, grouped, value

ROW = 1.25 * LINE
LEGEND = 2.2 * LINE
HEAD = 0.62  # inches of a panel for its title and its axis
REACH = 4  # margins that each panel reaches to both sides: one scale for all tables
USUAL = 0.5  # points: the margin where a table has none
OURS = SERIES[0]
PAPERS = SERIES[4]
OF_SEEDS = {"color": PAPER, "markeredgecolor": INK, "markeredgewidth": 0.5, "markersize": 2.6}
COLUMNS = {"map": "MAP", "stsb-dev": "STS-B dev", "mean": "Average", "transfer-dev": "Average"}
ABOVE, BELOW = -0.14, 0.22  # rows: where the seeds lie, and the seeds with the test items
INTERVALS = {
    ("low", "high"): (ABOVE, {"color": OURS, "linewidth": 3}),
    ("bootstrap_low", "bootstrap_high"): (BELOW, {"color": INK, "linewidth": 0.9}),
}


def draw(rows: Rows, names: Names) -> Figure:
    """Draw the differences in points, from the rows of ``reporting.figures.contrasts``.

    A thick line is the interval over seeds, the thin one below it that over seeds and test items; an
    interval that reaches beyond the panel ends in a triangle at its border. A difference out there
    is a number at the border. ``names`` is not used: the rows have the labels of their table.
    """
    figure = draw_panels(rows)
    figure.set_figheight(figure.get_figheight() + LEGEND)
    figure.legend(handles=_legend(), loc="outside lower center", ncols=5)
    return figure


@styled
def draw_panels(rows: Rows) -> Figure:
    """Draw a panel for each table, without a legend."""
    tables = grouped(rows, "table")
    shown = {table: grouped(found, "protocol", "label") for table, found in tables.items()}
    heights = [HEAD + ROW * len(found) for found in shown.values()]
    figure = new_figure(PAGE, sum(heights))
    panels = figure.subplots(len(shown), 1, squeeze=False, height_ratios=heights)[:, 0]
    for axes, found in zip(panels, shown.values(), strict=True):
        _draw_table(axes, list(found.values()))
    return figure


def _legend() -> list[Artist]:
    return [
        Line2D([], [], color=OURS, linewidth=3, marker="o", markersize=4, label="95 %, seeds"),
        Line2D([], [], color=INK, linewidth=0.9, label="95 %, seeds and items"),
        Line2D([], [], marker="o", linestyle="", label="one seed", **OF_SEEDS),
        Line2D([], [], color=PAPERS, marker="D", linestyle="", markersize=4, label="paper"),
        Patch(facecolor=BAND, label="counts as equal"),
    ]


def _draw_table(axes: Axes, groups: list[Rows]) -> None:
    first = groups[0][0]
    margin = value(first, "margin") or 0.0
    reach = REACH * (margin or USUAL)
    axes.axvspan(-margin, margin, color=BAND, linewidth=0, zorder=0)
    axes.axvline(0, color=INK, linewidth=0.6, zorder=1)
    for place, rows in enumerate(groups):
        methods = [row for row in rows if row["seed"] in ("", None)]
        for row in methods:
            _draw_method(axes, place, row, reach)
        seeds = [value(row, "difference") for row in rows if row not in methods]
        near = [seed for seed in seeds if abs(seed) <= reach]
        axes.plot(near, [place + ABOVE] * len(near), "o", zorder=5, **OF_SEEDS)
    axes.set_xlim(-reach, reach)
    axes.set_ylim(len(groups) - 0.4, -0.6)
    protocols = {rows[0]["protocol"] for rows in groups}
    controls = Counter(_method(rows[0]["control"]) for rows in groups)
    [(common, number)] = controls.most_common(1)
    if number < len(groups) / 2:
        common = "the control"
    labels = [_label(rows[0], len(protocols) > 1, common) for rows in groups]
    axes.set_yticks(range(len(groups)), labels)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)
    _write_title(axes, clean(first["title"], 100))
    column = COLUMNS.get(first["column"]) or clean(first["column"], 20)
    axes.set_xlabel(f"{column}: points above {common}", loc="right")


def _method(label: str) -> str:
    """Return the label of a row without its base and corpus."""
    return clean(label.partition(" · ")[0], 32)


def _label(row: dict, with_protocol: bool, common: str) -> str:
    """Return the label of a method, with its protocol, and its control if it is not the common one."""
    label = clean(row["label"], 64)
    if with_protocol:
        label = f"{label} · {clean(row['protocol'], 12)}"
    if _method(row["control"]) != common:
        label = f"{label} against {_method(row['control'])}"
    return label


def _write_title(axes: Axes, title: str) -> None:
    """Write a title from the left border of the figure, where the labels begin."""
    axes.set_title(" ")  # makes the room
    place = blended_transform_factory(axes.figure.transSubfigure, axes.transAxes)
    text = axes.text(0.008, 1.0, title, transform=place, fontweight="bold", va="bottom")
    text.set_in_layout(False)


def _draw_method(axes: Axes, place: int, row: dict, reach: float) -> None:
    published = value(row, "published")
    if published is not None:
        _draw_point(axes, published, place + BELOW, reach, marker="D", color=PAPERS, markersize=4)
    difference = value(row, "difference")
    of_ours = {"marker": "o", "color": OURS, "markersize": 4.5}
    if not _draw_point(axes, difference, place + ABOVE, reach, **of_ours):
        return  # its intervals would run through the number
    for names, (aside, look) in INTERVALS.items():
        low, high = (value(row, name) for name in names)
        if low is None or high is None:
            continue
        axes.hlines(place + aside, max(low, -reach), min(high, reach), zorder=3, **look)
        cut = {"color": INK, "markersize": 3, "clip_on": False, "zorder": 7}
        if low < -reach:
            axes.plot(-reach, place + aside, "<", **cut)
        if high > reach:
            axes.plot(reach, place + aside, ">", **cut)


def _draw_point(axes: Axes, points: float, place: float, reach: float, **look: Any) -> bool:
    """Draw a difference and return True, or write its number at the border that it lies beyond."""
    if abs(points) <= reach:
        axes.plot(points, place, zorder=6, **look)
        return True
    end, side, text = reach, "right", f"{signed(points)} ▸"
    if points < 0:
        end, side, text = -reach, "left", f"◂ {signed(points)}"
    words = {"color": look["color"], "ha": side, "va": "center", "fontsize": SMALL}
    axes.text(0.99 * end, place, text, **words)
    return False
