"""The data of figures: the settings of a figure, its kinds, and the CSV that is drawn.

A figure has one or more rows for each of its models, or for each of its tables. A kind is a module
found by name: its function ``rows`` gives the rows of one model, or of one table.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from semblance import layout
from semblance.named_modules import COLLECTED, MEASURED, module_names

Source = Literal["scores", "predictions", "curve", "tables", "model", "collection"]
KINDS: dict[str, Source] = {  # what the rows of a figure are made from
    "alignment_uniformity": "scores",
    "by_phi": "scores",
    "by_regulators": "scores",
    "cosine_densities": "predictions",
    "curve": "curve",
    "contrasts": "tables",
    "singular_values": "model",
    "anisotropy": "model",
    "retrieval": "collection",
}
FILES = {  # the file of a model that a collected figure reads, and its folder below the results
    "scores": (layout.STS_SCORES, "scores.csv"),
    "predictions": (layout.STS_SCORES, "predictions.parquet"),
    "curve": (layout.CURVE, "dev.csv"),
}
TEXTS = FILES | {"predictions": FILES["scores"]}  # a text beside it, as new as that file
# draw(...): rows of a figure to its picture. What all drawings share lies there, too.
DRAWN = "semblance.drawing.figures"
OF_MODELS = ("model", "collection")  # sources that are measured on models
Row = dict[str, Any]


class FigureRun(NamedTuple):
    """One model of a figure."""

    corpus: str
    base: str
    method: str
    seed: int


@dataclass(frozen=True)
class FigureModels:
    """The models of one method, one for each seed.

    ``values``: columns that the settings of the method give, such as its number of regulators.
    """

    corpus: str
    base: str
    method: str
    seeds: tuple[int, ...]
    values: dict[str, Any] = field(default_factory=dict)

    def runs(self) -> Iterator[FigureRun]:
        """Yield each model."""
        for seed in self.seeds:
            yield FigureRun(self.corpus, self.base, self.method, seed)


@dataclass(frozen=True)
class FigureSettings:
    """What a figure shows: models or named tables; ``options``: keyword arguments of its kind."""

    kind: str
    models: tuple[FigureModels, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    tables: tuple[str, ...] = ()

    def runs(self) -> Iterator[FigureRun]:
        """Yield each model."""
        for models in self.models:
            yield from models.runs()


def is_measured(kind: str) -> bool:
    """Tell whether a kind is measured on models; if not, it is collected from files."""
    return KINDS[kind] in OF_MODELS


def is_drawn(kind: str) -> bool:
    """Tell whether a kind has a drawing; if not, its CSV is for reading."""
    return kind in KINDS and kind in module_names(DRAWN)


def package_of(kind: str) -> str:
    """Return the package in which the module of a kind lies."""
    if is_measured(kind):
        return MEASURED
    return COLLECTED
