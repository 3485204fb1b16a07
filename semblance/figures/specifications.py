"""A claim under every reading: the differences in order, and below them what each reading chose.

Source: Simonsohn, Simmons and Nelson, "Specification curve analysis", Nature Human Behaviour 2020.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from semblance import drawing
from semblance.errors import InputError
from semblance.figures import Row
from semblance.reporting import table
from semblance.reporting.contrasts import SeedContrast, between
from semblance.reporting.layouts import find_layout
from semblance.reporting.table import Table
from semblance.statistics.significance import ALPHA, holm, p_joint

COLUMNS = {
    **dict.fromkeys(("table", "layout", "column", "base", "method", "label"), str),
    "choices": str,
    **dict.fromkeys(("difference", "low", "high", "published", "p_holm"), float),
    **dict.fromkeys(("n", "holds", "of"), int),
    "p_joint": float,
}
PART = " · "  # between two choices: "scale 20 · candidates all"
Choices = Mapping[str, dict[str, str]]


def rows(path: Path, *, choices: dict[str, dict[str, str]], gain: float) -> Iterator[Row]:
    """Yield the readings of the table in a JSON file, in its order.

    ``choices``: what each method of the table chose, by the name of the choice; a row of a method
    without an entry is a control. ``gain``: the paper's difference, in points. Raises InputError if
    the file holds no table.
    """
    yield from specification_rows(table.from_file(path), choices, gain)


def specification_rows(shown: Table, choices: Choices, gain: float) -> list[Row]:
    """Return each reading's difference from its control in the main column, in points.

    ``low`` and ``high``: its interval of seeds and items at 95 %. ``published``: the paper's
    difference. ``p_holm``: of "it is at most half of the paper's", one-sided, corrected by Holm's
    method for the number of readings. ``holds``: how many of them, ``of``, have one below .025,
    which is the interval's lower end. ``p_joint``: of all readings together.
    """
    column = find_layout(shown.layout).main_column
    named = [(row, choices.get(row.method)) for row in shown.rows]
    read = [(row, chosen) for row, chosen in named if chosen is not None]
    found: list[tuple[table.Row, str, SeedContrast | None]] = []
    for row, chosen in read:
        control = shown.control_of(row)
        contrast = between(row, control, column) if control else None
        found.append((row, PART.join(f"{name} {word}" for name, word in chosen.items()), contrast))
    if missing := [row.label for row, _, contrast in found if contrast is None]:
        problem = f"{', '.join(missing)} cannot be compared with a control"
        raise InputError(shown.name, problem, "wait for its rows, or leave the reading out")
    contrasts = [contrast for _, _, contrast in found if contrast is not None]
    estimates = [contrast.found for contrast in contrasts]
    ps: list[float | None] = [None] * len(estimates)  # where one has no interval
    if all(estimates):
        ps = list(holm([each.p_above(gain / 2) for each in estimates]))
    whole = {
        "table": shown.name,
        "layout": shown.layout,
        "column": column,
        "published": gain,
        "holds": None if None in ps else sum(p < ALPHA / 2 for p in ps),
        "of": len(found),
        "p_joint": None,  # where the readings do not share the seeds
    }
    if len({tuple(contrast.by_seed) for contrast in contrasts}) == 1:
        by_seed = [list(contrast.by_seed.values()) for contrast in contrasts]
        whole["p_joint"] = p_joint(np.array(by_seed))
    rows = []
    for (row, said, contrast), p in zip(found, ps, strict=True):
        low, high = contrast.found.interval() if contrast.found else (None, None)
        names = {"base": row.base, "method": row.method, "label": row.label, "choices": said}
        figures = {"difference": contrast.value, "low": low, "high": high, "p_holm": p}
        rows.append({**whole, **names, **figures, "n": len(contrast.by_seed)})
    return rows


# --- the drawing: a specification curve ----------------------------------------------------------

LOOKS = (
    {"color": drawing.SERIES[0], "marker": "o"},
    {"color": drawing.SERIES[1], "marker": "s"},
)
AVERAGES = {**dict.fromkeys(("sts", "seeds"), "all pairs"), "sts-mean": "mean of subsets"}
CURVE = 2.6  # inches
DOT = 1.15 * drawing.LINE


def draw(rows: drawing.Rows, names: drawing.Names) -> drawing.Figure:
    """Draw the differences of each table in the order of the first one's, and the choices below.

    ``names`` is not used: a reading is known by its choices.
    """
    tables = list(drawing.grouped(rows, "table").values())
    first = sorted(tables[0], key=lambda row: row["difference"])
    order = [(row["base"], row["method"]) for row in first]
    kinds = list(dict.fromkeys(part for row in tables[0] for part in row["choices"].split(PART)))
    choice = [kind.partition(" ")[0] for kind in kinds]
    kinds.sort(key=lambda kind: choice.index(kind.partition(" ")[0]))
    figure = drawing.new_figure(drawing.PAGE, CURVE + DOT * len(kinds) + 0.6)
    heights = [CURVE, DOT * len(kinds)]
    curve, grid = figure.subplots(2, 1, sharex=True, height_ratios=heights)
    for look, of_table, shift in zip(LOOKS, tables, (-0.13, 0.13), strict=False):
        _draw_curve(curve, of_table, order, look, shift)
    gain = rows[0]["published"]
    curve.axhline(0, color=drawing.INK, linewidth=0.6)
    if gain is not None:
        curve.axhline(gain, color=drawing.SERIES[4], linestyle=drawing.DASHES[1], label="paper")
        curve.axhline(gain / 2, color=drawing.SOFT, linewidth=0.6, linestyle=drawing.DASHES[2])
    curve.set_ylabel("difference from its control, points")
    drawing.legend_below(figure, 3)
    look = {"x": 0.01, "ha": "left", "fontsize": drawing.SIZE, "fontweight": "bold"}
    figure.suptitle(heading(tables), **look)
    figure.set_label(heading(tables))  # the headline of the report
    _draw_choices(grid, first, kinds)
    return figure


def heading(tables: list[drawing.Rows]) -> str:
    """Return in how many readings the claim holds, by each table's average."""
    parts = []
    for of_table in tables:
        first = of_table[0]
        held = "an unknown number" if first["holds"] is None else str(first["holds"])
        parts.append(f"in {held} of {first['of']} readings by {_average(first)}")
    above = "0" if tables[0][0]["published"] is None else "half of the paper's gain"
    return f"Above {above}: {', '.join(parts)}"


def _average(row: Row) -> str:
    return AVERAGES.get(row["layout"]) or row["column"]


def _draw_curve(axes, of_table, order, look, shift) -> None:
    places = {(row["base"], row["method"]): row for row in of_table}
    label = _average(of_table[0])
    for x, key in enumerate(order):
        row = places[key]
        axes.plot(x + shift, row["difference"], markersize=4, linestyle="", label=label, **look)
        label = "_"  # one entry of the legend
        if row["low"] is not None:
            axes.vlines(x + shift, row["low"], row["high"], color=look["color"], linewidth=1.2)


def _draw_choices(axes: drawing.Axes, first: drawing.Rows, kinds: list[str]) -> None:
    """Draw a dot where a reading has a choice."""
    for x, row in enumerate(first):
        chosen = set(row["choices"].split(PART))
        for y, kind in enumerate(kinds):
            look = {"color": drawing.INK if kind in chosen else drawing.GRID}
            axes.plot(x, y, marker="o", markersize=3, **look)
    axes.set_yticks(range(len(kinds)), [drawing.clean(kind, 40) for kind in kinds])
    axes.set_ylim(len(kinds) - 0.4, -0.6)
    axes.set_xticks([])
    axes.grid(visible=False)
