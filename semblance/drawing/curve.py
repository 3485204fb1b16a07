"""Alignment and uniformity along training, from the first step to the last (SimCSE, Figure 2)."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from semblance.drawing.placing import Mark, write_clear
from semblance.drawing.series import Points, columns
from semblance.drawing.style import (
    COLUMN,
    Look,
    legend_below,
    legend_height,
    looks,
    new_figure,
    no_data,
    styled,
)
from semblance.drawing.text import Names, Rows, by_label, grouped, values

PARTS = 24  # of the line between two steps
Place = tuple[float, float]
Way = dict[int, Place]  # step -> uniformity, alignment


@styled
def draw(rows: Rows, names: Names) -> Figure:
    """Draw uniformity against alignment: a line a model, an arrow along it, its ends' steps."""
    models = by_label(rows, names)
    if not models:
        return no_data()
    figure = new_figure(COLUMN, 2.3 + legend_height(len(models), 1))
    axes = figure.add_subplot()
    ways = []
    for (label, of_model), look in zip(models.items(), looks(models).values(), strict=True):
        for of_seed in grouped(of_model, "corpus", "seed").values():
            ways.append(_way(of_seed))
            _draw_way(axes, list(ways[-1].values()), label, look)
            label = "_"  # one entry of the legend for all seeds
    axes.margins(0.15)
    axes.set_xlabel("Uniformity (lower is better)")
    axes.set_ylabel("Alignment (lower is better)")
    legend_below(figure, axes, 1)
    covered = [place for way in ways for place in _along(list(way.values()))]
    write_clear(figure, axes, _ends(ways), covered)
    return figure


def _way(rows: Rows) -> Way:
    found = [values(row, "step", "uniformity", "alignment") for row in rows]
    return {int(step[0]): (step[1], step[2]) for step in sorted(filter(None, found))}


def _along(places: Points) -> Points:
    """Return points of a line so near each other that no label fits between them."""
    found = places[:1]
    for start, end in zip(places, places[1:], strict=False):
        found += [_between(start, end, part / PARTS) for part in range(1, PARTS + 1)]
    return found


def _draw_way(axes: Axes, places: Points, label: str, look: Look) -> None:
    axes.plot(
        *columns(places),
        color=look.colour,
        linestyle=look.dashes,
        marker=look.marker,
        markersize=2.5,
        label=label,
    )
    pairs = list(zip(places, places[1:], strict=False))
    if pairs:
        start, end = max(pairs, key=lambda pair: abs(pair[1][0] - pair[0][0]))
        middle = _between(start, end, 0.5)
        look_of_arrow = {"arrowstyle": "-|>", "color": look.colour, "shrinkA": 0, "shrinkB": 0}
        tail = _between(start, end, 0.49)
        axes.annotate("", xy=middle, xytext=tail, arrowprops=look_of_arrow)


def _between(start: Place, end: Place, share: float) -> Place:
    """Return the place at a share of the way from one place to another."""
    return (start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1]))


def _ends(ways: list[Way]) -> list[Mark]:
    """Return the first and the last step of each line, those of equal places once."""
    found = {}
    for way in filter(None, ways):
        for step in (min(way), max(way)):
            found[f"step {step}", *way[step]] = None
    return [Mark(*mark) for mark in found]
