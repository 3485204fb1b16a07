"""The STS average of entropy models against φ, a line for each form of the loss (RCL, Table 5)."""

from collections.abc import Iterator
from pathlib import Path

from semblance.drawing import Figure, Names, Rows, draw_scores, grouped
from semblance.figures import Row
from semblance.reporting.scores import whole_scores

COLUMNS = {"form": str, "phi": float, "average": float}


def rows(path: Path) -> Iterator[Row]:
    """Yield one row from the score file of a model.

    ``form``: the kind of the entropy model; ``phi``: its φ. Both are empty for other models.
    The settings of the method give them, not the file. ``average``: the mean Spearman's ρ of the
    seven STS tasks, in [-1, 1].
    """
    yield {"average": whole_scores(path)["average", "spearman"]}


def draw(rows: Rows, names: Names) -> Figure:
    """Draw a line for each form of the loss; the models without a φ are level lines."""
    forms = grouped([row for row in rows if row["phi"] is not None], "form")
    others = [row for row in rows if row["phi"] is None]
    series = {form: of_form for (form,), of_form in forms.items()}
    return draw_scores(series, others, "phi", names, "φ of the entropy model")
