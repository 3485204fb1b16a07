"""Alignment and uniformity of a model along its training (SimCSE, Figure 2)."""

import csv
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

from semblance import drawing
from semblance.counts import signed
from semblance.figures import Row

COLUMNS = {"step": int, "alignment": float, "uniformity": float}


def rows(path: Path) -> Iterator[Row]:
    """Yield one row for each measured step, from the curve that ``train_curve`` wrote."""
    with open(path, encoding="utf-8", newline="") as stream:
        for line in csv.DictReader(stream):
            yield {name: of(line[name]) for name, of in COLUMNS.items()}


def draw(rows: drawing.Rows, names: drawing.Names) -> drawing.Figure:
    """Draw uniformity against alignment: a line a model, with the steps of its ends."""
    models = drawing.by_label(rows, names)
    figure, axes = drawing.one_panel(2.3, len(models))
    ends: dict[tuple[str, tuple[float, float]], None] = {}  # of each line; equal ones once
    changes = []
    for label, look in drawing.looks(models).items():
        lines = []
        for of_seed in drawing.grouped(models[label], "corpus", "seed").values():
            steps = sorted(of_seed, key=lambda row: row["step"])
            line = [(row["uniformity"], row["alignment"]) for row in steps]
            entry = "_" if lines else label  # one entry of the legend for all seeds
            drawing.plot(axes, line, markersize=2.5, label=entry, **look)
            for end in (0, -1):
                ends[f"step {steps[end]['step']}", line[end]] = None
            lines.append(line)
        change = [
            signed(fmean(line[-1][axis] - line[0][axis] for line in lines)) for axis in (0, 1)
        ]
        changes.append(f"{change[0]} and {change[1]} in {label}")
    for text, place in ends:
        look = {"textcoords": "offset points", "fontsize": drawing.SMALL}
        axes.annotate(text, place, xytext=(3, 3), **look)
    axes.margins(0.15)
    axes.set_xlabel("Uniformity (lower is better)")
    axes.set_ylabel("Alignment (lower is better)")
    drawing.legend_below(figure)
    text = "Along the training uniformity and alignment change by"
    figure.set_label(f"{text} {', '.join(changes)}")
    return figure
