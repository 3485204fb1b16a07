"""Figures that are collected from files which other stages wrote: nothing is computed again."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from semblance import layout
from semblance.figures import FILES, KINDS, FigureModels, FigureRun, FigureSettings, Row, figure_csv
from semblance.named_modules import COLLECTED, load_module
from semblance.provenance import beside, checked


@dataclass(frozen=True)
class Part:
    """One file that a figure is made from, its record, and the columns that it cannot tell."""

    path: Path
    record: Path
    columns: Row = field(default_factory=dict)


def collected_csv(settings: FigureSettings, results: str | Path) -> str:
    """Return the CSV of a figure from the files below ``results``.

    Raises InputError for a kind without a module, and for a file that cannot be read.
    """
    module = load_module(COLLECTED, settings.kind, "settings.kind")
    columns = module.COLUMNS
    if settings.models:
        columns = (*FigureRun._fields, *columns)
    return figure_csv(columns, _rows(module, settings, results))


def _rows(module: Any, settings: FigureSettings, results: str | Path) -> Iterator[Row]:
    for part in parts(settings, results):
        for row in module.rows(part.path, **settings.options):
            yield {**part.columns, **row}


def parts(settings: FigureSettings, results: str | Path) -> Iterator[Part]:
    """Yield each file that a figure is made from."""
    for models in settings.models:
        yield from _parts_of(settings.kind, models, results)
    for table in settings.tables:
        path = layout.place(results, layout.TABLE_JSON, table=table)
        record = layout.place(results, layout.TABLE_RECORD, table=table)
        yield Part(Path(path), Path(record))


def _parts_of(kind: str, models: FigureModels, results: str | Path) -> Iterator[Part]:
    folder, name = FILES[KINDS[kind]]
    for run in models.runs():
        place = Path(layout.place(results, folder, **run._asdict()))
        yield Part(place / name, place / layout.RECORD, {**run._asdict(), **models.values})


def file_digests(settings: FigureSettings, results: str | Path) -> dict[Path, str]:
    """Check each file that a figure is made from against its record; return its sha256."""
    found = {}
    for part in parts(settings, results):
        name = beside(part.record, part.path)
        found[part.path] = checked(part.record, name)["outputs"][name]
    return found
