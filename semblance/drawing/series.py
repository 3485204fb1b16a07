"""STS averages of several models with several seeds, against a setting."""

from statistics import fmean

from matplotlib.axes import Axes

from semblance.counts import MINUS
from semblance.drawing.style import (
    DASHES,
    INK,
    SOFT,
    looks,
)
from semblance.drawing.text import Names, Rows, by_label, numbers, values

MOST_TICKS = 7
LEAST = 1.0  # points: a panel of scores is no lower, or noise would look like a gain
FAR = 4.0  # heights of the series; a level line beyond would press them flat

Points = list[tuple[float, float]]


def points(rows: Rows, x: str, y: str, scale: float = 1.0) -> Points:
    """Return the points of the rows that have both numbers."""
    pairs = [values(row, x, y) for row in rows]
    return [(place[0], scale * place[1]) for place in pairs if place]


def columns(line: Points) -> tuple[list[float], list[float]]:
    """Return the x and the y of points."""
    return [x for x, _ in line], [y for _, y in line]


def draw_series(axes: Axes, series: dict[str, Rows], column: str) -> None:
    """Draw STS averages against a setting: a dot for each seed, a line through their means.

    Each number of the setting has a tick where they are few.
    """
    for label, look in looks(series).items():
        dots = points(series[label], column, "average", 100)
        middle = [
            (place, fmean(score for other, score in dots if other == place))
            for place in sorted({place for place, _ in dots})
        ]
        axes.plot(*columns(dots), ".", color=look["color"], alpha=0.5, markeredgewidth=0)
        axes.plot(*columns(middle), label=label, **look)
    axes.set_ylabel("STS average (ρ × 100)")
    rows = [row for of_series in series.values() for row in of_series]
    places = sorted(set(numbers(rows, column)))
    if 0 < len(places) <= MOST_TICKS:
        axes.set_xticks(places, [f"{place:g}".replace("-", MINUS) for place in places])


def keep_high(axes: Axes) -> None:
    """Let a panel of points cover the usual band within which scores count as equal, at least."""
    low, high = axes.get_ylim()
    short = LEAST - (high - low)
    if short > 0:
        axes.set_ylim(low - short / 2, high + short / 2)


def references(axes: Axes, rows: Rows, names: Names) -> int:
    """Draw a level line at the mean of each model; return their number.

    One that lies far from the series is named in the legend alone, with its value.
    """
    lowest, highest = axes.dataLim.intervaly
    reach = FAR * max(highest - lowest, 0.0)
    models = by_label(rows, names)
    shown = 0
    for place, (label, of_model) in enumerate(models.items()):
        averages = numbers(of_model, "average")
        if not averages:
            continue
        score = 100 * fmean(averages)
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
