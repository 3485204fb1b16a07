"""The cosines of the STS-B test pairs in five groups of gold score (SimCSE, Figure G.1)."""

from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

import numpy as np

from semblance import drawing
from semblance.counts import signed
from semblance.figures import Row
from semblance.reporting.predictions import sts_frame

COLUMNS = {"group": str, "index": int, "gold": float, "cosine": float}
GROUPS = 5  # 0 to 1, 1 to 2, ..., 4 to 5
BINS = 24  # over the cosines of all models
TALLEST = 0.92  # height of the tallest bar, in distances between groups
ACROSS = 3  # panels beside each other


def rows(path: Path) -> Iterator[Row]:
    """Yield one row for each pair, from the predictions of a model."""
    frame = sts_frame(path)
    pairs = frame[frame.index.get_level_values("task") == "stsb"]
    for (_, _, index), pair in pairs.iterrows():
        gold = float(pair["gold"])
        cosine = float(pair["similarity"])
        yield {"group": group_of(gold), "index": index, "gold": gold, "cosine": cosine}


def group_of(gold: float) -> str:
    """Return the group of a gold score, such as ``0-1``.

    ASSUME a gold score on a border belongs to the higher group; 5 belongs to the highest.
    """
    low = min(int(gold), GROUPS - 1)
    return f"{low}-{low + 1}"


def draw(rows: drawing.Rows, names: drawing.Names) -> drawing.Figure:
    """Draw a histogram of the cosines of each group, a panel a model, the highest scores on top.

    The area of each is 1, so that groups of other sizes compare; all panels have the same scales.
    """
    models = drawing.by_label(rows, names)
    edges = np.histogram_bin_edges(drawing.numbers(rows, "cosine"), BINS)
    across = min(ACROSS, len(models))
    down = -(-len(models) // across)
    width = drawing.COLUMN + (drawing.PAGE - drawing.COLUMN) * (across - 1) / (ACROSS - 1)
    figure = drawing.new_figure(width, 0.3 + 1.8 * down)
    panels = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False)
    densities = {label: _densities(of_model, edges) for label, of_model in models.items()}
    tallest = max(density.max() for of_model in densities.values() for density in of_model.values())
    for axes, (label, of_model) in zip(panels.flat, densities.items(), strict=False):
        _draw_panel(axes, of_model, edges, TALLEST / tallest)
        axes.set_title(drawing.clean(label, 30))
    for axes in list(panels.flat)[len(models) :]:
        axes.set_visible(False)
    figure.supxlabel("Cosine of a pair", fontsize=drawing.SIZE)
    figure.supylabel("Gold score", fontsize=drawing.SIZE)
    rises = []
    for label, of_model in models.items():
        groups = sorted(drawing.grouped(of_model, "group").items())
        low, *_, high = (fmean(drawing.numbers(pairs, "cosine")) for _, pairs in groups)
        rises.append(f"{signed(high - low)} in {label}")
    text = "From the lowest gold scores to the highest the mean cosine rises by"
    figure.set_label(f"{text} {', '.join(rises)}")
    return figure


def _densities(rows: drawing.Rows, edges: np.ndarray) -> dict[str, np.ndarray]:
    """Return the density of each group in each bin, the groups in the order of their scores."""
    return {
        group: np.histogram(drawing.numbers(of_group, "cosine"), edges, density=True)[0]
        for (group,), of_group in sorted(drawing.grouped(rows, "group").items())
    }


def _draw_panel(
    axes: drawing.Axes, densities: dict[str, np.ndarray], edges: np.ndarray, scale: float
) -> None:
    look = {"facecolor": drawing.SERIES[0], "edgecolor": drawing.INK, "linewidth": 0.4, "zorder": 2}
    for place, density in enumerate(densities.values()):
        axes.stairs(place + scale * density, edges, baseline=place, fill=True, **look)
    axes.set_yticks(range(len(densities)), [group.replace("-", "–") for group in densities])
    axes.tick_params(axis="y", length=0)
