"""What the report shows of answerers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from semblance import layout
from semblance.counts import counted
from semblance.provenance import checked, read_text
from semblance_faq.answer.places import ANSWERER, SUMMARY
from workflow.report.facts import UNREADABLE, Facts

ITEM = "- "  # a statement of an answerer's summary


def sections(facts: Facts) -> Iterator[tuple[str, str, str, Any]]:
    """Yield the section of the answerers, if there are any: anchor, name, heading and content."""
    if named := facts.outline.others["answerers"]:
        shown = answerers(facts)
        number = counted(len(named), "model")
        heading = f"{len(shown['shown'])} of {number} that answer from your FAQ can be used"
        yield "answerers", "Your FAQ", heading, shown


def answerers(facts: Facts) -> dict[str, list[Any]]:
    """Return what the answerers say, in the order of the config, and the names of those to come."""
    shown: dict[str, list[Any]] = {"shown": [], "missing": []}
    named = facts.outline.others["answerers"]
    for name, (summary, record) in zip(named, files(facts), strict=True):
        try:
            checked(record, SUMMARY)
            heading, *lines = read_text(summary).splitlines()
            statements = [line.removeprefix(ITEM) for line in lines if line.startswith(ITEM)]
            shown["shown"].append((heading.removeprefix("# "), statements))
        except UNREADABLE:
            shown["missing"].append(name)
    return shown


def files(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield the summary of each answerer that the page shows of a finished run, and its record."""
    for name in facts.outline.others["answerers"]:
        folder = Path(layout.place(facts.out, ANSWERER, name=name))
        yield str(folder / SUMMARY), str(folder / layout.RECORD)
