"""The kinds of figures, each a module of this folder that is found by name, and their settings.

``COLUMNS``: the columns of its CSV and the type of each. ``rows(...)``: the rows of one model, or of
one table. ``draw(rows, names)``: their picture; a kind without it has data alone. A kind is measured
on models, or collected from files that other stages wrote.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from semblance import layout
from semblance.files import rows_csv
from semblance.named_modules import FIGURES, load_module
from semblance.provenance import checked_digest

Source = Literal["scores", "predictions", "curve", "tables", "model", "collection"]
KINDS: dict[str, Source] = {  # what the rows of a figure are made from
    "alignment_uniformity": "scores",
    "by_phi": "scores",
    "by_regulators": "scores",
    "cosine_densities": "predictions",
    "curve": "curve",
    "contrasts": "tables",
    "specifications": "tables",
    "selections": "tables",
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
Embed = Callable[[Sequence[str]], Any]  # texts to their embeddings, (n, d) float32


class StsB(NamedTuple):
    """The test pairs of STS-B, as the figures read them that are measured on a model."""

    sentences: list[str]  # each once: the first ones of the pairs, then the second ones
    near: list[tuple[str, str]]  # the pairs with a gold score above 4


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


@dataclass(frozen=True)
class FigureSettings:
    """What a figure shows: models or named tables; ``options``: keyword arguments of its kind."""

    kind: str
    models: tuple[FigureModels, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    tables: tuple[str, ...] = ()

    def runs(self) -> Iterator[tuple[FigureRun, dict[str, Any]]]:
        """Yield each model, and the columns that its settings give."""
        for of in self.models:
            for seed in of.seeds:
                yield FigureRun(of.corpus, of.base, of.method, seed), of.values


def is_measured(kind: str) -> bool:
    """Tell whether a kind is measured on models; if not, it is collected from files."""
    return KINDS[kind] in ("model", "collection")


class SourceFile(NamedTuple):
    """One file that a figure is made from, its record, and the columns that it cannot tell."""

    path: Path
    record: Path
    columns: Row


def collected_csv(settings: FigureSettings, results: str | Path) -> str:
    """Return the CSV of a figure from the files below ``results``.

    Raises InputError for a kind without a module, and for a file that cannot be read.
    """
    module = load_module(FIGURES, settings.kind, "settings.kind")
    columns = tuple(module.COLUMNS)
    if settings.models:
        columns = (*FigureRun._fields, *columns)
    rows = (
        {**source.columns, **row}
        for source in source_files(settings, results)
        for row in module.rows(source.path, **settings.options)
    )
    return rows_csv(columns, rows)


def source_files(settings: FigureSettings, results: str | Path) -> Iterator[SourceFile]:
    """Yield each file that a figure is made from."""
    for run, values in settings.runs():
        template, name = FILES[KINDS[settings.kind]]
        folder = Path(layout.place(results, template, **run._asdict()))
        yield SourceFile(folder / name, folder / layout.RECORD, run._asdict() | values)
    for table in settings.tables:
        places = (layout.TABLE_JSON, layout.TABLE_RECORD)
        path, record = (Path(layout.place(results, place, table=table)) for place in places)
        yield SourceFile(path, record, {})


def file_digests(settings: FigureSettings, results: str | Path) -> dict[Path, str]:
    """Check each file that a figure is made from against its record; return its sha256."""
    sources = source_files(settings, results)
    return {source.path: checked_digest(source.record, source.path) for source in sources}
