"""Accuracy at k on FAQ banks: each seed thin, the mean of the seeds thick, a panel a protocol."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semblance.drawing.series import Points, draw_seeds, mean_line, points
from semblance.drawing.style import (
    COLUMN,
    PAGE,
    Look,
    legend_below,
    legend_height,
    looks,
    new_figure,
)
from semblance.drawing.text import Names, Rows, by_label, clean, grouped, value

TICKS = (1, 3, 5, 10, 20, 50, 100)


def draw(rows: Rows, names: Names) -> Figure:
    """Draw k against the share of queries in percent; a seed's value is the mean of its folds."""
    # The bank of a corpus that is one of its folds.
    of_banks = [{**row, "bank": row["corpus"].rpartition("-")[0]} for row in rows]
    panels = grouped(of_banks, "bank", "protocol")
    labels = looks(by_label(rows, names))
    width = COLUMN
    if len(panels) > 2:
        width = PAGE
    figure = new_figure(width, 2.0 + legend_height(len(labels)))
    found = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, (title, of_panel) in zip(found, panels.items(), strict=True):
        _draw_panel(axes, by_label(of_panel, names), labels)
        axes.set_title(clean(" · ".join(title), 24))
        axes.set_xlabel("k")
    found[0].set_ylabel("Accuracy at k (%)")
    legend_below(figure, found[0])
    return figure


def _draw_panel(axes: Axes, models: dict[str, Rows], labels: dict[str, Look]) -> None:
    for label, of_model in models.items():
        seeds = grouped(of_model, "seed").values()
        draw_seeds(axes, [_over_folds(seed) for seed in seeds], label, labels[label])
    last = max(value(row, "k") or 0 for rows in models.values() for row in rows)
    axes.set_xticks([k for k in TICKS if k <= last])


def _over_folds(rows: Rows) -> Points:
    folds = grouped(rows, "corpus").values()
    return mean_line([points(fold, "k", "accuracy", 100) for fold in folds])
