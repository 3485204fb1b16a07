"""The STS average of a model against the number of regulators of its method (RCL, Table 4)."""

from collections.abc import Iterator
from pathlib import Path

from semblance.drawing import Figure, Names, Rows, clean, draw_scores, grouped
from semblance.figures import Row
from semblance.reporting.scores import whole_scores

COLUMNS = {"regulators": int, "average": float}


def rows(path: Path) -> Iterator[Row]:
    """Yield one row from the score file of a model.

    ``regulators``: their number; empty for a model that was not trained.
    The settings of the method give them, not the file. ``average``: the mean Spearman's ρ of the
    seven STS tasks, in [-1, 1].
    """
    yield {"average": whole_scores(path)["average", "spearman"]}


def draw(rows: Rows, names: Names) -> Figure:
    """Draw a line for each base and corpus; the base before any training is a level line."""
    lines = grouped([row for row in rows if row["regulators"] is not None], "base", "corpus")
    series = {clean(" · ".join(key)): of_line for key, of_line in lines.items()}
    if len(series) == 1:
        [counted] = series.values()
        series = {"mean of the seeds": counted}
    others = [row for row in rows if row["regulators"] is None]
    return draw_scores(series, others, "regulators", names, "Number of regulators")
