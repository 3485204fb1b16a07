"""The drawing of a figure's CSV, as SVG and as PNG: the same data give the same bytes."""

import csv
import io
from dataclasses import dataclass
from pathlib import Path

from matplotlib.figure import Figure

from semblance.drawing.style import no_data, styled
from semblance.drawing.text import Names, Rows
from semblance.errors import InputError
from semblance.figures import DRAWN, is_drawn
from semblance.named_modules import load_module

DPI = 300


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


def draw_csv(settings: DrawingSettings, path: str | Path) -> Figure:
    """Draw the CSV of a figure; raises InputError for a kind without a drawing."""
    if not is_drawn(settings.kind):
        raise InputError("settings.kind", f"there is no drawing of {settings.kind!r}")
    names = {(one.corpus, one.base, one.method): one.label for one in settings.models}
    with open(path, encoding="utf-8", newline="") as stream:
        return draw_rows(settings.kind, list(csv.DictReader(stream)), names)


@styled
def draw_rows(kind: str, rows: Rows, names: Names) -> Figure:
    """Draw the rows of a kind of figure; without a row the figure says so."""
    if not rows:
        return no_data()
    return load_module(DRAWN, kind, "kind").draw(rows, names)


@styled
def svg_text(figure: Figure) -> str:
    """Return a figure as SVG, its texts as text and without a date."""
    stream = io.StringIO()
    figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


@styled
def png_bytes(figure: Figure) -> bytes:
    """Return a figure as PNG of 300 dots an inch, on white."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=DPI, metadata={"Software": None})
    return stream.getvalue()
