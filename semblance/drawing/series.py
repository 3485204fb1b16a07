"""Lines of several models with several seeds: each seed thin, their mean thick."""

from collections.abc import Iterable

from matplotlib.axes import Axes

from semblance.drawing.style import Look
from semblance.drawing.text import mean

MARKED = 10  # markers of a line, at most
Points = list[tuple[float, float]]


def draw_seeds(axes: Axes, seeds: list[Points], label: str, look: Look) -> None:
    """Draw the line of each seed, and with its label that of their mean at each common x."""
    if len(seeds) > 1:
        for points in seeds:
            axes.plot(*columns(points), color=look.colour, alpha=0.4, linewidth=0.6)
    middle = mean_line(seeds)
    axes.plot(
        *columns(middle),
        color=look.colour,
        linestyle=look.dashes,
        marker=look.marker,
        markevery=max(1, -(-len(middle) // MARKED)),
        label=label,
    )


def mean_line(seeds: list[Points]) -> Points:
    """Return the mean of lines at each x that all of them have."""
    if not seeds:
        return []
    lines = [dict(points) for points in seeds]
    common = set.intersection(*map(set, lines))
    return [(x, mean(line[x] for line in lines)) for x in sorted(common)]


def columns(points: Iterable[tuple[float, float]]) -> tuple[list[float], list[float]]:
    """Return the x and the y of points."""
    found = list(points)
    return [x for x, _ in found], [y for _, y in found]
