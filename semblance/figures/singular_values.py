"""The singular values of the matrix of STS-B's sentence embeddings (SimCSE, Figure F.1)."""

from collections.abc import Iterator
from statistics import fmean

import numpy as np

from semblance import drawing
from semblance.figures import Embed, Row, StsB

COLUMNS = {"position": int, "singular_value": float, "relative": float}
LEAST = 1e-4  # of the largest: below it lies what arithmetic leaves of a value of 0
MARKED = 10  # markers of a line, at most


def rows(embed: Embed, data: StsB) -> Iterator[Row]:
    """Yield one row for each singular value, the largest first.

    ``relative`` is the value as a share of the largest. ASSUME the matrix has one row for each
    distinct sentence of the test pairs, neither centred nor normalised.
    """
    values = singular_values(embed(data.sentences)).tolist()
    for position, value in enumerate(values, start=1):
        yield {"position": position, "singular_value": value, "relative": value / values[0]}


def singular_values(matrix: np.ndarray) -> np.ndarray:
    """Return the singular values of a matrix (n, d) in float64, the largest first."""
    return np.linalg.svd(np.asarray(matrix, np.float64), compute_uv=False)


def draw(rows: drawing.Rows, names: drawing.Names) -> drawing.Figure:
    """Draw the position of each singular value against its share of the largest, on a log scale.

    Each seed of a model is thin, their mean at each common position thick.
    """
    models = drawing.by_label(rows, names)
    figure, axes = drawing.one_panel(2.0, len(models))
    falls = []
    for label, look in drawing.looks(models).items():
        seeds = drawing.grouped(models[label], "corpus", "seed").values()
        lines = [
            {x: y for x, y in drawing.points(seed, "position", "relative") if y >= LEAST}
            for seed in seeds
        ]
        for line in lines if len(lines) > 1 else ():
            drawing.plot(axes, list(line.items()), color=look["color"], alpha=0.4, linewidth=0.6)
        common = sorted(set.intersection(*map(set, lines)))
        mean = [(x, fmean(line[x] for line in lines)) for x in common]
        drawing.plot(axes, mean, markevery=max(1, -(-len(mean) // MARKED)), label=label, **look)
        for place, share in mean[:MARKED][-1:]:
            falls.append(f"{share:.0%} at place {place} in {label}")
    axes.set_yscale("log")
    axes.set_ylim(bottom=min(axes.get_ylim()[0], 0.08))  # 1 and 0.1 have their ticks
    axes.yaxis.set_major_formatter(lambda share, _: f"{share:g}")  # 0.1, not 10⁻¹
    axes.yaxis.set_minor_formatter("")
    axes.set_xlabel("Singular value, by size")
    axes.set_ylabel("Share of the largest")
    drawing.legend_below(figure)
    figure.set_label(f"The singular values fall to {', '.join(falls)}")
    return figure
