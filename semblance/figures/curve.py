"""Alignment and uniformity of a model along its training (SimCSE, Figure 2)."""

import csv
import itertools
from collections.abc import Iterator
from pathlib import Path

from semblance import drawing
from semblance.figures import Row

COLUMNS = {"step": int, "alignment": float, "uniformity": float}


def rows(path: Path) -> Iterator[Row]:
    """Yield one row for each measured step, from the curve that ``train_curve`` wrote."""
    with open(path, encoding="utf-8", newline="") as stream:
        for line in csv.DictReader(stream):
            yield {name: of(line[name]) for name, of in COLUMNS.items()}


def draw(rows: drawing.Rows, names: drawing.Names) -> drawing.Figure:
    """Draw uniformity against alignment: a line a model, an arrow along it, its ends' steps."""
    models = drawing.by_label(rows, names)
    figure, axes = drawing.one_panel(2.3, len(models))
    ends: dict[tuple[str, tuple[float, float]], None] = {}  # of each line; equal ones once
    for label, look in drawing.looks(models).items():
        for of_seed in drawing.grouped(models[label], "corpus", "seed").values():
            steps = sorted(of_seed, key=lambda row: row["step"])
            line = [(row["uniformity"], row["alignment"]) for row in steps]
            drawing.plot(axes, line, markersize=2.5, label=label, **look)
            _draw_arrow(axes, line, look["color"])
            label = "_"  # one entry of the legend for all seeds
            for end in (0, -1):
                ends[f"step {steps[end]['step']}", line[end]] = None
    for text, place in ends:
        drawing.write_beside(axes, text, place)
    axes.margins(0.15)
    axes.set_xlabel("Uniformity (lower is better)")
    axes.set_ylabel("Alignment (lower is better)")
    drawing.legend_below(figure, axes)
    return figure


def _draw_arrow(axes: drawing.Axes, line: drawing.Points, color: str) -> None:
    """Draw an arrow in the middle of the longest way between two steps, as uniformity goes."""
    ways = list(itertools.pairwise(line))
    if ways:
        (x, y), (end_x, end_y) = max(ways, key=lambda way: abs(way[1][0] - way[0][0]))
        tail, tip = ((x + share * (end_x - x), y + share * (end_y - y)) for share in (0.49, 0.5))
        look = {"arrowstyle": "-|>", "color": color, "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", xy=tip, xytext=tail, arrowprops=look)
