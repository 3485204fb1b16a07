"""STS averages against a number of the settings, beside those of models that lack the number."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semblance.drawing.series import columns
from semblance.drawing.style import DASHES, INK, SOFT, Look, legend_below
from semblance.drawing.text import MINUS, Names, Rows, by_label, mean, value, values

MOST_TICKS = 7
FAR = 4.0  # heights of the series; a level line beyond would press them flat


def draw_series(axes: Axes, rows: Rows, column: str, label: str, look: Look) -> None:
    """Draw a dot for each seed and a line through the means, the score times 100."""
    found = [values(row, column, "average") for row in rows]
    points = [(point[0], 100 * point[1]) for point in found if point]
    by_place: dict[float, list[float]] = {}
    for place, score in points:
        by_place.setdefault(place, []).append(score)
    middle = [(place, mean(by_place[place])) for place in sorted(by_place)]
    axes.plot(*columns(points), ".", color=look.colour, alpha=0.5, markeredgewidth=0)
    axes.plot(
        *columns(middle), color=look.colour, marker=look.marker, linestyle=look.dashes, label=label
    )


def mark_places(axes: Axes, rows: Rows, column: str) -> None:
    """Set a tick at each number of the settings that a model has, where they are few."""
    places = sorted({place for row in rows if (place := value(row, column)) is not None})
    if 0 < len(places) <= MOST_TICKS:
        axes.set_xticks(places, [f"{place:g}".replace("-", MINUS) for place in places])


def references(axes: Axes, rows: Rows, names: Names) -> int:
    """Draw a level line at the mean of each model; return their number.

    One that lies far from the series is told in the legend alone, with its value.
    """
    lowest, highest = axes.dataLim.intervaly
    reach = FAR * max(highest - lowest, 0.0)
    models = by_label(rows, names)
    shown = 0
    for place, (label, of_model) in enumerate(models.items()):
        found = [score[0] for row in of_model if (score := values(row, "average"))]
        if not found:
            continue
        score = 100 * mean(found)
        look = {
            "color": (SOFT, INK)[place % 2],
            "linestyle": DASHES[(place + 1) % len(DASHES)],
            "linewidth": 0.8,
        }
        if reach > 0 and not lowest - reach <= score <= highest + reach:
            axes.plot([], [], label=f"{label}: {score:.2f}, outside", **look)
        else:
            axes.axhline(score, label=label, **look)
        shown += 1
    return shown


def finish(figure: Figure, axes: Axes, has_legend: bool) -> None:
    """Name the scores, and put a legend below where there is something to tell apart."""
    axes.set_ylabel("STS average (ρ × 100)")
    if has_legend:
        legend_below(figure, axes, 1)
