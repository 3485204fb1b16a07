"""The drawing of an answerer: the thresholds tried."""

from matplotlib.figure import Figure

from semblance.drawing.style import (
    COLUMN,
    SERIES,
    SOFT,
    legend_below,
    new_figure,
    styled,
)
from semblance_faq.judge.judgement import Judgement

HEIGHT = 2.4  # inches


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
