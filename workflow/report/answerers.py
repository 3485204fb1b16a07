"""The answerers of a run: what each says of itself."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from semblance import layout
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
    """Return the heading and the statements of a summary."""
    folder = Path(layout.place(out, layout.ANSWERER, answerer=name))
    checked(folder / RECORD, layout.SUMMARY)
    lines = read_text(folder / layout.SUMMARY).splitlines()
    return {
        "heading": next(line for line in lines if line.startswith(HEADING)).removeprefix(HEADING),
        "statements": [line.removeprefix(ITEM) for line in lines if line.startswith(ITEM)],
    }


def files(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield each file that the section shows of a finished run, and its record."""
    for name in facts.plan.config.answerers:
        folder = Path(layout.place(facts.out, layout.ANSWERER, answerer=name))
        yield str(folder / layout.SUMMARY), str(folder / RECORD)
