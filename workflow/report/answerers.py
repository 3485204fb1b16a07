"""The answerers of a run: what each says of itself, and its drawings."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from markupsafe import Markup

from semblance import layout
from semblance.drawing.inline import inline_svg
from semblance.layout import RECORD
from semblance.provenance import checked, read_text
from workflow.report.facts import UNREADABLE, Facts

ITEM = "- "  # a statement of a summary
HEADING = "# "


@dataclass(frozen=True)
class Picture:
    """One drawing: its SVG is ready for the page; ``data`` is the file of its numbers."""

    caption: str
    data: str
    svg: Markup


@dataclass(frozen=True)
class Shown:
    """One answerer: the heading and the statements of its summary, and its drawings."""

    heading: str
    statements: list[str]
    pictures: list[Picture]


@dataclass
class Answerers:
    """The section."""

    shown: list[Shown] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def section(facts: Facts) -> Answerers:
    """Return the answerers of a run, in the order of its config."""
    found = Answerers()
    for name in facts.plan.config["answerers"]:
        try:
            found.shown.append(_shown(facts.out, name))
        except UNREADABLE:
            found.missing.append(name)
    return found


def _shown(out: Path, name: str) -> Shown:
    """Read an answerer; raises InputError for files that are not as their record says."""
    folder = Path(layout.place(out, layout.ANSWERER, answerer=name))
    checked(folder / RECORD, layout.SUMMARY)
    lines = read_text(folder / layout.SUMMARY).splitlines()
    heading = next(line for line in lines if line.startswith(HEADING))
    statements = [line.removeprefix(ITEM) for line in lines if line.startswith(ITEM)]
    return Shown(heading.removeprefix(HEADING), statements, list(_pictures(out, name, folder)))


def _pictures(out: Path, name: str, folder: Path) -> Iterator[Picture]:
    for place, drawing, table, caption in _drawings(out, name, folder):
        checked(place / RECORD, drawing)
        data = str((place / table).relative_to(out))
        prefix = f"{Path(drawing).stem}-{name}"
        svg = inline_svg(read_text(place / drawing), prefix, caption, f"Data: {data}.")
        yield Picture(caption, data, Markup(svg))


def _drawings(out: Path, name: str, folder: Path) -> Iterator[tuple[Path, str, str, str]]:
    """Yield the folder, the drawing, the table and the caption of each drawing of an answerer."""
    caption = "How right the answers are against how many are given."
    yield folder, layout.THRESHOLD_PICTURE, layout.THRESHOLDS, caption
    curve = Path(layout.place(out, layout.LEARNING_CURVE, answerer=name))
    if (curve / RECORD).is_file():
        yield curve, layout.CURVE_PICTURE, layout.CURVE_TABLE, "Would more data help?"


def files(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield each file that the section shows of a finished run, and its record."""
    for name in facts.plan.config["answerers"]:
        folder = Path(layout.place(facts.out, layout.ANSWERER, answerer=name))
        yield str(folder / layout.SUMMARY), str(folder / RECORD)
        for place, drawing, _, _ in _drawings(facts.out, name, folder):
            yield str(place / drawing), str(place / RECORD)
