"""The drawing of learning curves: a line for the entries, and one for users' wordings."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semblance.answering.learning_curve import Point
from semblance.drawing.style import COLUMN, Look, legend_below, looks, new_figure, styled

HEIGHT = 2.4  # inches


@styled
def draw_curves(points: Sequence[Point]) -> Figure:
    """Draw the percent against the mean average precision.

    The bars are the intervals of the difference from all of the data, laid around its score.
    """
    figure = new_figure(COLUMN, HEIGHT)
    axes = figure.add_subplot()
    curves = {of: [point for point in points if point.of == of] for of in _names(points)}
    for of, look in looks(curves).items():
        _draw_curve(axes, curves[of], f"of the {of}", look)
    axes.set_xticks(sorted({point.percent for point in points}))
    axes.set_xlabel("Trained on (%)")
    axes.set_ylabel("MAP (%)")
    legend_below(figure, axes, len(curves))
    return figure


def _names(points: Sequence[Point]) -> list[str]:
    return list(dict.fromkeys(point.of for point in points))


def _draw_curve(axes: Axes, points: Sequence[Point], label: str, look: Look) -> None:
    percents = [point.percent for point in points]
    scores = [100 * point.map for point in points]
    line = {"color": look.colour, "linestyle": look.dashes, "marker": look.marker}
    axes.plot(percents, scores, label=label, **line)
    whole = points[-1].map
    for point in points[:-1]:
        ends = (100 * (whole - point.high), 100 * (whole - point.low))
        axes.vlines(point.percent, *ends, color=look.colour, linewidth=0.8)
