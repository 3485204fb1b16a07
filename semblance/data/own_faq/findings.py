"""What was found in a user's own files: told in the log, and counted in the record."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

EMPTY = "empty rows"
DUPLICATE = "duplicate rows"
OTHER_ANSWER = "questions with another answer"
NEAR_QUESTION = "near-duplicate questions"
NEAR_ANSWER = "near-duplicate answers"
REPEATED_QUERY = "repeated queries"
SHARED_QUERY = "queries at a further entry"
OWN_QUESTION = "queries that are a question of the FAQ"
NEAR_QUERY = "near-duplicate queries"
HIDDEN = "hidden rows"
MERGED = "rows of merged cells"
DATES = "rows with dates"
ROUNDED = "rows with rounded numbers"

# What happens to the rows of each kind, as it is told.
DONE = {
    EMPTY: "skipped",
    DUPLICATE: "the same question and answer again: one entry",
    OTHER_ANSWER: "the same question: kept",
    NEAR_QUESTION: "equal but for case, punctuation and white space: kept",
    NEAR_ANSWER: "equal but for case, punctuation and white space: kept as two answers",
    REPEATED_QUERY: "the same query of the same entry again: one query",
    SHARED_QUERY: "one query, and all of its entries are right",
    OWN_QUESTION: "in the same or another spelling: kept, and never tested as a new wording",
    NEAR_QUERY: "equal but for case, punctuation and white space: kept, in one fold",
    HIDDEN: "read like the others",
    MERGED: "each row has the value of the merged cell",
    DATES: "written as 2024-05-31, 14:30:00",
    ROUNDED: "Excel keeps 15 digits of a number; an id should be text",
}
MOST_SHOWN = 12  # places of one kind that a line of the log names


@dataclass(frozen=True)
class Place:
    """A line of a file; ``first`` is the earlier line that it is like, 0 if there is none."""

    line: int
    first: int = 0


@dataclass(frozen=True)
class Finding:
    """All places of one file with a finding of one kind, a key of ``DONE``."""

    kind: str
    path: str
    places: tuple[Place, ...]

    def __str__(self) -> str:
        return f"{self.path}: {self.kind}: {len(self.places):,} ({DONE[self.kind]}): {self.shown()}"

    def shown(self) -> str:
        """Return the places in words; neighbours without an earlier line are one range."""
        words = [_in_words(run) for run in _runs(self.places)]
        if len(words) > MOST_SHOWN:
            more = f"{len(words) - MOST_SHOWN:,} more places"
            words = [*words[:MOST_SHOWN], more]
        return "line " + ", ".join(words)


@dataclass(frozen=True)
class Reading:
    """What was recognised in a user's files, in sentences, and what was found in their rows."""

    notes: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()

    def lines(self) -> Iterator[str]:
        """Yield the lines for a log."""
        yield from self.notes
        yield from map(str, self.findings)

    def counts(self) -> dict[str, int]:
        """Return the number of places of each kind, 0 where there is none."""
        counts = dict.fromkeys(DONE, 0)
        for finding in self.findings:
            counts[finding.kind] += len(finding.places)
        return counts


class Findings:
    """Collects what is found while files are read."""

    def __init__(self) -> None:
        self._notes: list[str] = []
        self._places: dict[tuple[str, str], list[Place]] = {}

    def note(self, path: Path | str, sentence: str) -> None:
        """Keep a sentence on a file."""
        self._notes.append(f"{path}: {sentence}")

    def add(self, kind: str, path: Path | str, line: int, first: int = 0) -> None:
        """Keep a place; ``first`` is the earlier line that it is like."""
        self._places.setdefault((kind, str(path)), []).append(Place(line, first))

    def reading(self) -> Reading:
        """Return all that was found so far, the kinds in the order of ``DONE``."""
        order = list(DONE)
        found = sorted(self._places.items(), key=lambda item: order.index(item[0][0]))
        findings = [Finding(kind, path, tuple(places)) for (kind, path), places in found]
        return Reading(tuple(self._notes), tuple(findings))


def listed(names: Sequence[str]) -> str:
    """Return names in quotes, a part of them if they are many."""
    text = ", ".join(repr(name) for name in names[:MOST_SHOWN])
    if len(names) > MOST_SHOWN:
        text += f" and {len(names) - MOST_SHOWN:,} more"
    return text


def _runs(places: tuple[Place, ...]) -> Iterator[tuple[Place, Place]]:
    """Yield the first and the last place of each run of neighbours."""
    start = None
    last = None
    for place in places:
        if last and not place.first and not last.first and place.line == last.line + 1:
            last = place
            continue
        if start:
            yield start, last
        start = place
        last = place
    if start:
        yield start, last


def _in_words(run: tuple[Place, Place]) -> str:
    start, last = run
    if start.first:
        return f"{start.line} (as {start.first})"
    if start == last:
        return str(start.line)
    return f"{start.line} to {last.line}"
