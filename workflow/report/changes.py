"""What changed since the report before: scores, settings, digests, cost.

Each report leaves a short summary in ``logs/reports``. A report compares itself with the last one
that says something else, so that making it twice from the same files gives the same page.
"""

import contextlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from semblance import layout
from semblance.provenance import canonical, read_object, text_digest, write_json
from workflow.report import numbers
from workflow.report.facts import UNREADABLE, Facts

LARGEST = 40  # changed scores that are listed
SHOWN_FROM = 0.005  # points; a smaller change is not seen in a table


@dataclass(frozen=True)
class ScoreChange:
    """One place of a table whose mean changed."""

    place: str
    before: str
    after: str
    difference: str


@dataclass(frozen=True)
class Changes:
    """The section; ``scores`` has the largest changes, ``more`` the number of the others."""

    before: str
    scores: list[ScoreChange] = field(default_factory=list)
    more: int = 0
    new: int = 0
    gone: int = 0
    settings: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)  # the stages that have another
    seconds: str = ""


def summary(facts: Facts, seconds: float, date: str) -> dict[str, Any]:
    """Return what later reports compare with: means, settings, digests of the code, cost."""
    cells = {}
    settings = {}
    for name, table in facts.tables.items():
        for row in table.rows:
            place = f"{name} / {row.label} [{row.protocol}]"
            cells |= {f"{place} / {c}": cell.mean for c, cell in row.cells.items() if cell.values}
            if facts.models_of(row):
                settings[place] = text_digest(canonical(facts.settings_of(row)))[:16]
    codes: dict[str, set[str]] = {}
    for record in facts.records:
        codes.setdefault(str(record.get("stage")), set()).add(str(record.get("code")))
    return {
        "date": date,
        "cells": cells,
        "settings": settings,
        "code": {stage: sorted(digests) for stage, digests in sorted(codes.items())},
        "seconds": round(seconds, 1),
    }


def compare(before: dict[str, Any], after: dict[str, Any]) -> Changes:
    """Return what changed between two summaries."""
    old = before["cells"]
    new = after["cells"]
    moved = {
        place: (old[place], value)
        for place, value in new.items()
        if place in old and abs(value - old[place]) >= SHOWN_FROM
    }
    largest = sorted(moved, key=lambda place: -abs(moved[place][1] - moved[place][0]))
    known = before["settings"]
    return Changes(
        before=before["date"],
        scores=[_score(place, *moved[place]) for place in largest[:LARGEST]],
        more=max(0, len(largest) - LARGEST),
        new=len(new.keys() - old.keys()),
        gone=len(old.keys() - new.keys()),
        settings=[
            place
            for place, digest in after["settings"].items()
            if known.get(place, digest) != digest
        ],
        code=[stage for stage, found in after["code"].items() if _differs(before, stage, found)],
        seconds=numbers.signed((after["seconds"] - before["seconds"]) / 3600) + " h",
    )


def _differs(before: dict[str, Any], stage: str, digests: list[str]) -> bool:
    return before["code"].get(stage, digests) != digests


def _score(place: str, before: float, after: float) -> ScoreChange:
    return ScoreChange(
        place, numbers.plain(before), numbers.plain(after), numbers.signed(after - before)
    )


def since_last(folder: str | Path, now: dict[str, Any]) -> Changes | None:
    """Keep a summary, and compare it with the last one that differs; None where there is none.

    A summary that cannot be read is passed over.
    """
    place = Path(layout.place(folder, layout.REPORTS))
    earlier = []
    for path in sorted(place.glob("*.json")):
        with contextlib.suppress(*UNREADABLE):
            earlier.append(read_object(path))
    if not earlier or earlier[-1] != now:
        place.mkdir(parents=True, exist_ok=True)
        write_json(place / f"{_last_number(place) + 1:04}.json", now)
    others = [found for found in earlier if found != now]
    if not others:
        return None
    try:
        return compare(others[-1], now)
    except UNREADABLE:
        return None


def _last_number(folder: Path) -> int:
    """Return the highest number of a summary, damaged ones included; 0 without any."""
    return max((int(path.stem) for path in folder.glob("*.json") if path.stem.isdigit()), default=0)
