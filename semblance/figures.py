"""The data of figures: the settings of a figure, its kinds, and the CSV that a report draws.

A figure has one or more rows for each of its models. A kind is a module found by name: its function
``rows`` gives the rows of one model.
"""

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from semblance import layout
from semblance.named_modules import COLLECTED, MEASURED

Source = Literal["scores", "predictions", "curve", "model", "collection"]
KINDS: dict[str, Source] = {  # what the rows of a model are made from
    "alignment_uniformity": "scores",
    "cosine_densities": "predictions",
    "curve": "curve",
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
Row = dict[str, Any]


class FigureRun(NamedTuple):
    """One model of a figure."""

    corpus: str
    base: str
    method: str
    seed: int


@dataclass(frozen=True)
class FigureModels:
    """The models of one method, one for each seed."""

    corpus: str
    base: str
    method: str
    seeds: tuple[int, ...]


@dataclass(frozen=True)
class FigureSettings:
    """What a figure shows; ``options`` are the keyword arguments of its kind."""

    kind: str
    models: tuple[FigureModels, ...]
    options: dict[str, Any] = field(default_factory=dict)

    def runs(self) -> Iterator[FigureRun]:
        """Yield each model."""
        for models in self.models:
            place = (models.corpus, models.base, models.method)
            yield from (FigureRun(*place, seed) for seed in models.seeds)


def is_measured(kind: str) -> bool:
    """Tell whether a kind is measured on models; if not, it is collected from files."""
    return KINDS[kind] not in FILES


def package_of(kind: str) -> str:
    """Return the package in which the module of a kind lies."""
    if is_measured(kind):
        return MEASURED
    return COLLECTED


def figure_csv(columns: Iterable[str], rows: Iterable[Row]) -> str:
    """Return the CSV of a figure: numbers unrounded, an empty field for a value that is missing."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(columns), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _field(value) for name, value in row.items()})
    return text.getvalue()


def _field(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return repr(float(value))
    return str(value)
