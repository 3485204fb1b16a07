"""Cosines of the STS-B pairs in five groups of gold score, a panel a model (SimCSE, Figure G.1)."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semblance.drawing.style import COLUMN, INK, PAGE, SERIES, new_figure, no_data
from semblance.drawing.text import Names, Rows, by_label, clean, grouped, numbers

BINS = 24  # over the cosines of all models
TALLEST = 0.92  # height of the tallest bar, in distances between groups
ACROSS = 3  # panels beside each other


def draw(rows: Rows, names: Names) -> Figure:
    """Draw a histogram of the cosines of each group, the highest gold scores on top.

    The area of each is 1, so that groups of other sizes compare; all panels have the same scales.
    """
    models = by_label(rows, names)
    cosines = numbers(rows, "cosine")
    if not cosines:
        return no_data()
    edges = np.histogram_bin_edges(cosines, BINS)
    across = min(ACROSS, len(models))
    down = -(-len(models) // across)
    width = min(PAGE, COLUMN + (PAGE - COLUMN) * (across - 1) / 2)
    figure = new_figure(width, 0.3 + 1.8 * down)
    panels = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False)
    densities = {label: _densities(of_model, edges) for label, of_model in models.items()}
    tallest = max(max(map(np.max, density.values())) for density in densities.values())
    for axes, (label, density) in zip(panels.flat, densities.items(), strict=False):
        _draw_panel(axes, density, edges, TALLEST / tallest)
        axes.set_title(clean(label, 30))
    for axes in list(panels.flat)[len(models) :]:
        axes.set_visible(False)
    figure.supxlabel("Cosine of a pair", fontsize=8)
    figure.supylabel("Gold score", fontsize=8)
    return figure


def _densities(rows: Rows, edges: np.ndarray) -> dict[str, np.ndarray]:
    """Return the density of each group in each bin, the groups in the order of their scores."""
    densities = {}
    for (group,), of_group in sorted(grouped(rows, "group").items()):
        cosines = numbers(of_group, "cosine")
        if cosines:
            densities[group], _ = np.histogram(cosines, edges, density=True)
    return densities


def _draw_panel(
    axes: Axes, densities: dict[str, np.ndarray], edges: np.ndarray, scale: float
) -> None:
    look = {"facecolor": SERIES[0], "edgecolor": INK, "linewidth": 0.4, "zorder": 2}
    for place, density in enumerate(densities.values()):
        axes.stairs(place + scale * density, edges, baseline=place, fill=True, **look)
    labels = [clean(group.replace("-", "–"), 9) for group in densities]
    axes.set_yticks(range(len(densities)), labels)
    axes.tick_params(axis="y", length=0)
