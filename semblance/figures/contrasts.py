"""Every row of a table against its control, as the table states it, and each seed's difference."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from semblance import drawing
from semblance.counts import signed
from semblance.figures import Row
from semblance.provenance import read_text
from semblance.reporting import table
from semblance.reporting.contrasts import NO_VALUES, between
from semblance.reporting.layouts import find_layout
from semblance.reporting.table import Table

OF_ROW = ("label", "control", "corpus", "base", "method", "protocol")
INTERVALS = ("low", "high", "bootstrap_low", "bootstrap_high")
COLUMNS = {
    **dict.fromkeys(("table", "title", "column"), str),
    "margin": float,
    **dict.fromkeys(OF_ROW, str),
    **dict.fromkeys(("seed", "n"), int),
    **dict.fromkeys(("difference", *INTERVALS, "published"), float),
    "stand_in": str,
}


def rows(path: Path) -> Iterator[Row]:
    """Yield the rows of the table in a JSON file; raises InputError if it holds no table."""
    yield from contrast_rows(table.from_json(read_text(path), str(path)))


def contrast_rows(shown: Table) -> list[Row]:
    """Return the differences in a table's main column, in points.

    A row without ``seed`` is a method against its control: the mean difference, its intervals over
    seeds (``low``, ``high``) and over seeds and items (``bootstrap_…``), and the paper's, which
    is None where one of the two rows stands in for the paper's: ``stand_in`` says in what.
    A row with ``seed`` is the paired difference of one seed. What a row lacks is None.
    """
    column = find_layout(shown.layout).main_column
    rows = []
    for row in shown.rows:
        control = shown.control_of(row)
        contrast = row.contrast(column)
        if control is None or contrast is None:
            continue
        identity = dict.fromkeys(COLUMNS) | {name: getattr(row, name) for name in OF_ROW}
        identity |= {"table": shown.name, "title": shown.title, "margin": shown.margin}
        identity["column"] = column
        stand_in = "; ".join(dict.fromkeys((*row.stand_in, *control.stand_in)))
        ours, theirs = row.cells[column], control.cells.get(column, NO_VALUES)
        published = None
        if not stand_in and None not in (ours.published, theirs.published):
            published = ours.published - theirs.published
        intervals = {name: getattr(contrast, name) for name in INTERVALS}
        whole = {"n": ours.n, "difference": contrast.difference, **intervals}
        rows.append({**identity, **whole, "published": published, "stand_in": stand_in})
        seeds = between(row, control, column)  # of other seeds on the two sides: none is paired
        for seed, difference in seeds.by_seed.items() if seeds else ():
            rows.append({**identity, "seed": seed, "difference": difference})
    return rows


# --- the drawing: a forest plot, a panel a table -------------------------------------------------

ROW = 1.25 * drawing.LINE
LEGEND = 2.2 * drawing.LINE
HEAD = 0.62  # inches of a panel for its title and its axis
REACH = 4  # margins that each panel reaches to both sides: one scale for all tables
USUAL = 0.5  # points: the margin where a table has none
NAMES = {"map": "MAP", "stsb-dev": "STS-B dev", "mean": "Average", "transfer-dev": "Average"}
ABOVE, BELOW = -0.14, 0.22  # rows: where the seeds lie, and the seeds with the test items
OURS = {"color": drawing.SERIES[0], "marker": "o", "markersize": 4.5}
PAPERS = {"color": drawing.SERIES[4], "marker": "D", "markersize": 4}
OF_SEED = {
    "color": drawing.PAPER,
    "markeredgecolor": drawing.INK,
    "markeredgewidth": 0.5,
    "markersize": 2.6,
}
THICK = {"color": drawing.SERIES[0], "linewidth": 3}
THIN = {"color": drawing.INK, "linewidth": 0.9}


def draw(rows: drawing.Rows, names: drawing.Names) -> drawing.Figure:
    """Draw the differences in points, and a legend below them.

    A thick line is the interval over seeds, the thin one below it that over seeds and test items; an
    interval that reaches beyond the panel ends in a triangle at its border. A difference out there
    is a number at the border. ``names`` is not used: the rows have the labels of their table.
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    figure = draw_panels(rows)
    figure.set_figheight(figure.get_figheight() + LEGEND)
    legend = [
        Line2D([], [], **THICK, marker="o", markersize=4, label="95 %, seeds"),
        Line2D([], [], **THIN, label="95 %, seeds and items"),
        Line2D([], [], marker="o", linestyle="", label="one seed", **OF_SEED),
        Line2D([], [], linestyle="", label="paper", **PAPERS),
        Patch(facecolor=drawing.BAND, label="counts as equal"),
    ]
    figure.legend(handles=legend, loc="outside lower center", ncols=5)
    return figure


@drawing.styled()
def draw_panels(rows: drawing.Rows) -> drawing.Figure:
    """Draw a panel for each table, without a legend."""
    tables = [
        drawing.grouped(of_table, "protocol", "label")
        for of_table in drawing.grouped(rows, "table").values()
    ]
    heights = [HEAD + ROW * len(methods) for methods in tables]
    figure = drawing.new_figure(drawing.PAGE, sum(heights))
    panels = figure.subplots(len(tables), 1, squeeze=False, height_ratios=heights)[:, 0]
    for axes, methods in zip(panels, tables, strict=True):
        _draw_table(axes, list(methods.values()))
    return figure


def _draw_table(axes: drawing.Axes, groups: list[drawing.Rows]) -> None:
    margin = groups[0][0]["margin"] or 0.0
    reach = REACH * (margin or USUAL)
    axes.axvspan(-margin, margin, color=drawing.BAND, linewidth=0, zorder=0)
    axes.axvline(0, color=drawing.INK, linewidth=0.6, zorder=1)
    for place, rows in enumerate(groups):
        for row in rows:
            if row["seed"] is None:
                _draw_method(axes, place, row, reach)
        seeds = [row["difference"] for row in rows if row["seed"] is not None]
        near = [seed for seed in seeds if abs(seed) <= reach]
        axes.plot(near, [place + ABOVE] * len(near), "o", zorder=5, **OF_SEED)
    axes.set_xlim(-reach, reach)
    axes.set_ylim(len(groups) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)
    _write_labels(axes, [rows[0] for rows in groups])


def _draw_method(axes: drawing.Axes, place: int, row: Row, reach: float) -> None:
    if row["published"] is not None:
        _draw_point(axes, row["published"], place + BELOW, reach, PAPERS)
    if not _draw_point(axes, row["difference"], place + ABOVE, reach, OURS):
        return  # its intervals would run through the number
    for prefix, y, look in (("", place + ABOVE, THICK), ("bootstrap_", place + BELOW, THIN)):
        low, high = row[f"{prefix}low"], row[f"{prefix}high"]
        if low is None or high is None:
            continue
        axes.hlines(y, max(low, -reach), min(high, reach), zorder=3, **look)
        cut = {"color": drawing.INK, "markersize": 3, "clip_on": False, "zorder": 7}
        if low < -reach:
            axes.plot(-reach, y, "<", **cut)
        if high > reach:
            axes.plot(reach, y, ">", **cut)


def _draw_point(
    axes: drawing.Axes, points: float, y: float, reach: float, look: dict[str, Any]
) -> bool:
    """Draw a difference and return True, or write its number at the border that it lies beyond."""
    if abs(points) <= reach:
        axes.plot(points, y, zorder=6, **look)
        return True
    end, side, text = reach, "right", f"{signed(points)} ▸"
    if points < 0:
        end, side, text = -reach, "left", f"◂ {signed(points)}"
    words = {"color": look["color"], "ha": side, "va": "center", "fontsize": drawing.SMALL}
    axes.text(0.99 * end, y, text, **words)
    return False


def _write_labels(axes: drawing.Axes, methods: list[Row]) -> None:
    """Write the title of a table, the label of each method, and what all are compared with.

    A method has its protocol where there are several, and its control where it is not the common one.
    """
    controls = Counter(_method(row["control"]) for row in methods)
    [(common, number)] = controls.most_common(1)
    if number < len(methods) / 2:
        common = "the control"
    several = len({row["protocol"] for row in methods}) > 1
    labels = []
    for row in methods:
        label = drawing.clean(row["label"], 64)
        if several:
            label += f" · {drawing.clean(row['protocol'], 12)}"
        if _method(row["control"]) != common:
            label += f" against {_method(row['control'])}"
        labels.append(label)
    axes.set_yticks(range(len(labels)), labels)
    column = methods[0]["column"]
    axes.set_xlabel(
        f"{NAMES.get(column) or drawing.clean(column, 20)}: points above {common}", loc="right"
    )
    _write_title(axes, drawing.clean(methods[0]["title"], 100))


def _method(label: str) -> str:
    """Return the label of a row without its base and corpus."""
    return drawing.clean(label.partition(" · ")[0], 32)


def _write_title(axes: drawing.Axes, title: str) -> None:
    """Write a title from the left border of the figure, where the labels begin."""
    from matplotlib.transforms import blended_transform_factory

    axes.set_title(" ")  # makes the room
    place = blended_transform_factory(axes.figure.transSubfigure, axes.transAxes)
    text = axes.text(0.008, 1.0, title, transform=place, fontweight="bold", va="bottom")
    text.set_in_layout(False)
