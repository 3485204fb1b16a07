"""The answerers of a run: what each says of itself, and its drawings."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from markupsafe import Markup

from semblance import layout
from semblance.drawing.inline import inline_svg
from semblance.layout import RECORD
from semblance.provenance import checked, read_text
from workflow.report.facts import UNREADABLE, Facts

ITEM = "- "  # a statement of a summary
HEADING = "# "


def section(facts: Facts) -> dict[str, Any]:
    """Return the answerers of a run, in the order of its config, and the names of those to come."""
    shown: list[dict[str, Any]] = []
    missing: list[str] = []
    for name in facts.plan.config.answerers:
        try:
            shown.append(_answerer(facts.out, name))
        except UNREADABLE:
            missing.append(name)
    return {"shown": shown, "missing": missing}


def _answerer(out: Path, name: str) -> dict[str, Any]:
    """Return the heading and the statements of a summary, and the drawings."""
    folder = Path(layout.place(out, layout.ANSWERER, answerer=name))
    checked(folder / RECORD, layout.SUMMARY)
    lines = read_text(folder / layout.SUMMARY).splitlines()
    pictures = []
    for place, drawing, table, caption in _drawings(out, name):
        checked(place / RECORD, drawing)
        data = str((place / table).relative_to(out))
        prefix = f"{Path(drawing).stem}-{name}"
        svg = inline_svg(read_text(place / drawing), prefix, caption, f"Data: {data}.")
        pictures.append({"caption": caption, "data": data, "svg": Markup(svg)})
    return {
        "heading": next(line for line in lines if line.startswith(HEADING)).removeprefix(HEADING),
        "statements": [line.removeprefix(ITEM) for line in lines if line.startswith(ITEM)],
        "pictures": pictures,
    }


def _drawings(out: Path, name: str) -> Iterator[tuple[Path, str, str, str]]:
    """Yield the folder, the drawing, the table and the caption of each drawing of an answerer."""
    caption = "How right the answers are against how many are given."
    folder = Path(layout.place(out, layout.ANSWERER, answerer=name))
    yield folder, layout.THRESHOLD_PICTURE, layout.THRESHOLDS, caption


def files(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield each file that the section shows of a finished run, and its record."""
    for name in facts.plan.config.answerers:
        folder = Path(layout.place(facts.out, layout.ANSWERER, answerer=name))
        yield str(folder / layout.SUMMARY), str(folder / RECORD)
        for place, drawing, _, _ in _drawings(facts.out, name):
            yield str(place / drawing), str(place / RECORD)
