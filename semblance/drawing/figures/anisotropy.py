"""The terms of RCL's Eqs. 4 to 6 and two measures of anisotropy: a panel each, a line a model."""

from statistics import fmean

from matplotlib.figure import Figure

from semblance.drawing.style import LINE, PAGE, looks, new_figure
from semblance.drawing.text import Names, Rows, by_label, clean, numbers

PANELS = {  # a column of the data, and its title
    "aligned": "Eq. 4, first term:\nmean cos of pairs",
    "eq5": "Eq. 5: log mean\nexp of cosines",
    "eq6": "Eq. 6: mean\nof cosines",
    "positive": "Cosines\nabove 0 (%)",
    "largest": "Length² in largest\n1 % elements (%)",
}
SCALES = {"positive": 100, "largest": 100}  # of shares that are shown in percent


def draw(rows: Rows, names: Names) -> Figure:
    """Draw each measure of each model: a dot for each seed, a marker for their mean."""
    models = by_label(rows, names)
    figure = new_figure(PAGE, 0.75 + 1.5 * LINE * len(models))
    panels = figure.subplots(1, len(PANELS), sharey=True)
    for axes, (column, title) in zip(panels, PANELS.items(), strict=True):
        for place, (label, look) in enumerate(looks(models).items()):
            heights = [SCALES.get(column, 1) * number for number in numbers(models[label], column)]
            axes.plot(heights, [place] * len(heights), ".", color=look["color"], alpha=0.5)
            if heights:
                axes.plot(fmean(heights), place, look["marker"], color=look["color"], markersize=5)
        axes.set_title(title)
        axes.margins(x=0.2)
        axes.locator_params(axis="x", nbins=3)
        axes.tick_params(axis="y", length=0)
    panels[0].set_yticks(range(len(models)), [clean(label, 30) for label in models])
    panels[0].set_ylim(len(models) - 0.5, -0.5)
    return figure
