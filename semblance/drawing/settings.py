"""What ``draw_figure`` needs to know of a figure, and the drawing of its CSV."""

import csv
from dataclasses import dataclass
from pathlib import Path

from matplotlib.figure import Figure

from semblance.errors import InputError
from semblance.figures import DRAWN, is_drawn
from semblance.files import open_text
from semblance.named_modules import load_module

MOST_BYTES = 1 << 28  # of a figure's CSV


@dataclass(frozen=True)
class Named:
    """One model and what a figure calls it."""

    corpus: str
    base: str
    method: str
    label: str


@dataclass(frozen=True)
class DrawingSettings:
    """The kind of a figure, and what its models are called."""

    kind: str
    models: tuple[Named, ...] = ()

    @property
    def names(self) -> dict[tuple[str, str, str], str]:
        """The label of each corpus, base and method."""
        return {(named.corpus, named.base, named.method): named.label for named in self.models}


def draw_csv(settings: DrawingSettings, path: str | Path) -> Figure:
    """Draw the CSV of a figure; raises InputError for a kind without a drawing, or a bad row."""
    if not is_drawn(settings.kind):
        raise InputError("settings.kind", f"there is no drawing of {settings.kind!r}")
    module = load_module(DRAWN, settings.kind, "settings.kind")
    with open_text(path, MOST_BYTES) as stream:
        rows = list(csv.DictReader(stream))
    try:
        return module.draw(rows, settings.names)
    except (KeyError, AttributeError) as error:  # a column, or a field of a line, that is not there
        raise InputError(path, f"no data of such a figure ({error!r})", "make it again") from None
