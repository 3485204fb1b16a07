"""The drawings of an answerer: its learning curves, and the thresholds tried."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from semblance.drawing.style import (
    COLUMN,
    SERIES,
    SOFT,
    legend_below,
    looks,
    new_figure,
    styled,
)
from semblance_faq.judge.judgement import Judgement
from semblance_faq.judge.learning_curve import Point

HEIGHT = 2.4  # inches


@styled
def draw_curves(points: Sequence[Point]) -> Figure:
    """Draw the percent against the mean average precision, a line for each kind of part.

    The bars are the intervals of the difference from all of the data, laid around its score.
    """
    figure = new_figure(COLUMN, HEIGHT)
    axes = figure.add_subplot()
    curves: dict[str, list[Point]] = {}
    for point in points:
        curves.setdefault(point.of, []).append(point)
    for of, look in looks(curves).items():
        percents = [point.percent for point in curves[of]]
        scores = [100 * point.map for point in curves[of]]
        line = {"color": look.colour, "linestyle": look.dashes, "marker": look.marker}
        axes.plot(percents, scores, label=f"of the {of}", **line)
        *parts, whole = curves[of]
        for point in parts:
            ends = (100 * (whole.map - point.high), 100 * (whole.map - point.low))
            axes.vlines(point.percent, *ends, color=look.colour, linewidth=0.8)
    axes.set_xticks(sorted({point.percent for point in points}))
    axes.set_xlabel("Trained on (%)")
    axes.set_ylabel("MAP (%)")
    legend_below(figure, axes, len(curves))
    return figure


@styled
def draw_threshold(found: Judgement) -> Figure:
    """Draw the precision of each threshold with its bound, the stated one, and the chosen one."""
    figure = new_figure(COLUMN, HEIGHT)
    axes = figure.add_subplot()
    answered = [100 * point.answered for point in found.tried]
    precision = [100 * point.precision for point in found.tried]
    low = [100 * point.low for point in found.tried]
    axes.plot(answered, precision, label="measured", color=SERIES[0], marker="o")
    axes.plot(answered, low, label="at least (bound)", color=SERIES[1], linestyle="--", marker="v")
    axes.axhline(100 * found.stated, label="wanted", color=SOFT, linewidth=0.8)
    if found.certified is not None:
        at = 100 * found.certified.answered
        axes.axvline(at, label="chosen threshold", color=SERIES[2], linestyle=":")
    axes.set_xlabel("Questions answered (%)")
    axes.set_ylabel("Right answers (%)")
    legend_below(figure, axes, 2)
    return figure
