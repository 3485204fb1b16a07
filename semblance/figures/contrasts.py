"""Every row of a table against its control, as the table states it, and each seed's difference."""

from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from semblance import drawing
from semblance.figures import Row
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
    yield from contrast_rows(table.from_file(path))


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
FAR = 5  # medians of a panel: what lies further out is cut at its border, or it pressed others flat
NAMES = {"map": "MAP", "stsb-dev": "STS-B dev", "mean": "Average", "transfer-dev": "Average"}
LOOKS = {
    "difference": {"color": drawing.SERIES[0], "marker": "o", "markersize": 4.5},
    "published": {"color": drawing.SERIES[4], "marker": "D", "markersize": 4, "linestyle": ""},
}
OF_INTERVAL = {"color": drawing.SERIES[0], "linewidth": 2}


def draw(rows: drawing.Rows, names: drawing.Names) -> drawing.Figure:
    """Draw the differences in points, each with its interval over seeds; a legend is below them.

    Each table has a panel and a scale of its own. What lies beyond a panel ends in a triangle at its
    border. ``names`` is not used: the rows have the labels of their table.
    """
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    methods = [row for row in rows if row["seed"] is None]
    tables = list(drawing.grouped(methods, "table").values())
    heights = [HEAD + ROW * len(of_table) for of_table in tables]
    figure = drawing.new_figure(drawing.PAGE, sum(heights) + LEGEND)
    panels = figure.subplots(len(tables), 1, squeeze=False, height_ratios=heights)[:, 0]
    for axes, of_table in zip(panels, tables, strict=True):
        _draw_table(axes, of_table)
    legend = [
        Line2D([], [], **LOOKS["difference"] | OF_INTERVAL, label="ours, with 95 % over seeds"),
        Line2D([], [], label="paper", **LOOKS["published"]),
        Patch(facecolor=drawing.BAND, label="counts as equal"),
    ]
    figure.legend(handles=legend, loc="outside lower center", ncols=3)
    return figure


def _draw_table(axes: drawing.Axes, methods: drawing.Rows) -> None:
    margin = methods[0]["margin"] or 0.0
    axes.axvspan(-margin, margin, color=drawing.BAND, linewidth=0, zorder=0)
    axes.axvline(0, color=drawing.INK, linewidth=0.6, zorder=1)
    shown = [{name: row[name] for name in ("low", "high", *LOOKS)} for row in methods]
    furthest = [max(abs(x) for x in one.values() if x is not None) for one in shown]
    reach = 1.05 * min(FAR * median(furthest), max(furthest)) or 1.0
    axes.set_xlim(-reach, reach)
    for place, one in enumerate(shown):
        for name, look in LOOKS.items():
            if one[name] is not None:
                _draw_point(axes, one[name], place, look)
        if one["low"] is not None:
            ends = [min(max(one[end], -reach), reach) for end in ("low", "high")]
            axes.hlines(place, *ends, zorder=3, **OF_INTERVAL)
            for end in ("low", "high"):
                if abs(one[end]) > reach:
                    _draw_point(axes, one[end], place, LOOKS["difference"])
    axes.set_ylim(len(methods) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)
    several = len({row["protocol"] for row in methods}) > 1
    axes.set_yticks(range(len(methods)), [_label(row, several) for row in methods])
    column = methods[0]["column"]
    axes.set_xlabel(f"{NAMES.get(column) or drawing.clean(column, 20)}: points", loc="right")
    axes.set_title(drawing.clean(methods[0]["title"], 100), loc="right", fontweight="bold")


def _draw_point(axes: drawing.Axes, points: float, y: float, look: dict[str, Any]) -> None:
    """Draw a value; one beyond the panel is a triangle at its border."""
    low, high = axes.get_xlim()
    if not low <= points <= high:
        look = look | {"marker": ">" if points > 0 else "<", "markersize": 4, "clip_on": False}
    axes.plot(min(max(points, low), high), y, zorder=6, **look)


def _label(row: Row, with_protocol: bool) -> str:
    """Return the label of a method, with its protocol if asked, and of its control what comes first."""
    label, control = drawing.clean(row["label"], 60), row["control"].partition(" · ")[0]
    protocol = f" ({drawing.clean(row['protocol'], 12)})" if with_protocol else ""
    return f"{label}{protocol} against {drawing.clean(control, 28)}"
