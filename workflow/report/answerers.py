"""The answerers of a run: what each says of itself."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from semblance import layout
from semblance.provenance import checked, read_text
from workflow.report.facts import UNREADABLE, Facts

ITEM = "- "  # a statement of a summary
HEADING = "# "


def section(facts: Facts) -> dict[str, Any]:
    """Return what the answerers say, in the order of the config, and the names of those to come."""
    shown: list[dict[str, Any]] = []
    missing: list[str] = []
    for name, (summary, record) in zip(facts.plan.config.answerers, files(facts), strict=True):
        try:
            checked(record, layout.SUMMARY)
            lines = read_text(summary).splitlines()
            heading = next(line for line in lines if line.startswith(HEADING))
            statements = [line.removeprefix(ITEM) for line in lines if line.startswith(ITEM)]
            shown.append({"heading": heading.removeprefix(HEADING), "statements": statements})
        except UNREADABLE:
            missing.append(name)
    return {"shown": shown, "missing": missing}


def files(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield each file that the section shows of a finished run, and its record."""
    for name in facts.plan.config.answerers:
        folder = Path(layout.place(facts.out, layout.ANSWERER, answerer=name))
        yield str(folder / layout.SUMMARY), str(folder / layout.RECORD)
