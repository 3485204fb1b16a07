"""How far a model's embeddings share one direction, by the argument of RCL's section 3.4.

RCL bounds the term of Eq. 4 that pushes texts of different tuples apart (Eq. 5) from below by a mean
of cosines (Eq. 6), and concludes that a training on it flattens the embeddings.
"""

from collections.abc import Iterator
from statistics import fmean

import numpy as np

from semblance import drawing
from semblance.counts import rounded
from semblance.figures import Embed, Row, StsB
from semblance.models.vectors import unit

COLUMNS = {"pairs": int} | dict.fromkeys(("aligned", "eq5", "eq6", "positive", "largest"), float)
LARGEST = 0.01  # of the elements of an embedding
PANELS = {  # a column of the data: the title of its panel, and by what its numbers are shown
    "aligned": ("Eq. 4, first term:\nmean cos of pairs", 1),
    "eq5": ("Eq. 5: log mean\nexp of cosines", 1),
    "eq6": ("Eq. 6: mean\nof cosines", 1),
    "positive": ("Cosines\nabove 0 (%)", 100),
    "largest": ("Length² in largest\n1 % elements (%)", 100),
}


def rows(embed: Embed, data: StsB) -> Iterator[Row]:
    """Yield one row: the terms on the m pairs (q_i, ind_i) of STS-B with a gold score above 4.

    ``pairs``: m. ``aligned``: mean of cos(q_i, ind_i), the first term of Eq. 4. ``eq5`` and
    ``eq6``: their first terms. ``positive``: the share of the m² cosines above 0, which Eq. 6
    takes for almost all. ``largest``: the share of the squared length of an embedding that is in
    its largest 1 % of elements, mean over all texts.

    ASSUME the tuples are near pairs of STS-B, and the terms of the regulators, which only RCL has,
    are left out: so models with and without regulators are measured by the same terms.
    """
    left, right = (unit(embed(side)) for side in zip(*data.near, strict=True))
    cosines = left @ right.T  # (m, m)
    yield {
        "pairs": len(left),
        "aligned": float(np.diag(cosines).mean()),
        "eq5": float(np.log(np.exp(cosines).mean(axis=1)).mean()),
        "eq6": float(cosines.mean()),
        "positive": float((cosines > 0).mean()),
        "largest": share_of_largest(np.concatenate([left, right])),
    }


def share_of_largest(vectors: np.ndarray) -> float:
    """Return the mean share of the squared length in the largest 1 % of elements, at least one."""
    count = max(1, round(LARGEST * vectors.shape[1]))
    squares = np.sort(vectors**2, axis=1)[:, ::-1]  # (n, d)
    return float((squares[:, :count].sum(axis=1) / squares.sum(axis=1)).mean())


def draw(rows: drawing.Rows, names: drawing.Names) -> drawing.Figure:
    """Draw each measure of each model: a dot for each seed, a marker for their mean."""
    models = drawing.by_label(rows, names)
    figure = drawing.new_figure(drawing.PAGE, 0.75 + 1.5 * drawing.LINE * len(models))
    panels = figure.subplots(1, len(PANELS), sharey=True)
    for axes, (column, (title, scale)) in zip(panels, PANELS.items(), strict=True):
        for place, (label, look) in enumerate(drawing.looks(models).items()):
            values = [scale * row[column] for row in models[label]]
            axes.plot(values, [place] * len(values), ".", color=look["color"], alpha=0.5)
            axes.plot(fmean(values), place, look["marker"], color=look["color"], markersize=5)
        axes.set_title(title)
        axes.margins(x=0.2)
        axes.locator_params(axis="x", nbins=3)
        axes.tick_params(axis="y", length=0)
    panels[0].set_yticks(range(len(models)), [drawing.clean(label, 30) for label in models])
    panels[0].set_ylim(len(models) - 0.5, -0.5)
    means = ((fmean(drawing.numbers(of, "eq6")), label) for label, of in models.items())
    shares = ", ".join(f"{rounded(mean, 3)} in {label}" for mean, label in means)
    figure.set_label(f"The mean cosine of Eq. 6 is {shares}")
    return figure
