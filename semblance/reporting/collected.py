"""Figures that are collected from files which other stages wrote: nothing is computed again."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from semblance import layout
from semblance.figures import FILES, KINDS, FigureRun, FigureSettings, Row, figure_csv
from semblance.layout import RECORD
from semblance.named_modules import COLLECTED, load_module
from semblance.provenance import checked


def collected_csv(settings: FigureSettings, results: str | Path) -> str:
    """Return the CSV of a figure from the files of its runs below ``results``.

    Raises InputError for a kind without a module, and for a file that cannot be read.
    """
    module = load_module(COLLECTED, settings.kind, "settings.kind")
    columns = (*FigureRun._fields, *module.COLUMNS)
    return figure_csv(columns, _rows(module, settings, results))


def _rows(module: Any, settings: FigureSettings, results: str | Path) -> Iterator[Row]:
    for run in settings.runs():
        for row in module.rows(file_of(settings.kind, run, results)):
            yield {**run._asdict(), **row}


def file_of(kind: str, run: FigureRun, results: str | Path) -> Path:
    """Return the file of a run that a kind of figure reads."""
    folder, name = FILES[KINDS[kind]]
    return Path(layout.place(results, folder, **run._asdict()), name)


def file_digests(settings: FigureSettings, results: str | Path) -> dict[Path, str]:
    """Check each file that a figure is made from against the record beside it; return its sha256."""
    found = {}
    for run in settings.runs():
        path = file_of(settings.kind, run, results)
        found[path] = checked(path.parent / RECORD, path.name)["outputs"][path.name]
    return found
