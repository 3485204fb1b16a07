"""Figures that are collected from files which other stages wrote: nothing is computed again."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from semblance import layout
from semblance.figures import FILES, KINDS, FigureRun, FigureSettings, Row
from semblance.files import rows_csv
from semblance.named_modules import FIGURES, load_module
from semblance.provenance import checked_digest


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
