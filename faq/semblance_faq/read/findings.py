"""What was found in a user's own files: for the log, and counted for the record."""

from collections.abc import Sequence
from enum import Enum
from pathlib import Path

from semblance.data.faq import ReadingNotes

ALIKE = "equal but for case, punctuation and white space"
SPELLED = "in the same or another spelling: kept"
SEVERAL = "two question marks, or a semicolon"
DIGITS = "read as plain digits, dates as 2024-05-31"


class Finding(Enum):
    """What may be found in a row, and what happens to such rows, in the words of the log."""

    EMPTY = "empty rows", "skipped"
    DUPLICATE = "duplicate rows", "the same question and answer again: one entry"
    OTHER_ANSWER = "questions with another answer", "the same question: kept"
    NEAR_QUESTION = "near-duplicate questions", f"{ALIKE}: kept"
    NEAR_ANSWER = "near-duplicate answers", f"{ALIKE}: kept as two answers"
    REPEATED_QUERY = "repeated queries", "the same query of the same entry again: one query"
    SHARED_QUERY = "queries at a further entry", "one query, and all of its entries are right"
    OWN_QUESTION = (
        "queries that are a question of the FAQ",
        f"{SPELLED}, and never tested as a new wording",
    )
    NEAR_QUERY = "near-duplicate queries", f"{ALIKE}: kept, in one fold"
    SEVERAL_QUERIES = "queries that may be several", f"{SEVERAL}: kept as one; write one a line"
    OTHER_ANSWERS = "rows with several answers", "the first one is read"
    MERGED = "rows of merged cells", "each row has the value of the merged cell"
    ROUNDED = "rows with rounded numbers", "Excel keeps 15 digits of a number; an id should be text"
    FORMAT = "rows with another number format", f"{DIGITS}: Excel shows more; write that as text"

    def __init__(self, label: str, done: str):
        self.label = label
        self.done = done


MOST_SHOWN = 12  # places of one kind that a line of the log names


class Findings:
    """Collects what is found while files are read."""

    def __init__(self) -> None:
        self._notes: list[str] = []
        # By kind and file: a line, and the earlier line that it is like or 0.
        self._places: dict[tuple[Finding, str], list[tuple[int, int]]] = {}

    def note(self, path: Path | str, sentence: str) -> None:
        """Keep a sentence on a file."""
        self._notes.append(f"{path}: {sentence}")

    def add(self, kind: Finding, path: Path | str, line: int, first: int = 0) -> None:
        """Keep a place; ``first`` is the earlier line that it is like."""
        self._places.setdefault((kind, str(path)), []).append((line, first))

    def reading(self) -> ReadingNotes:
        """Return all that was found so far, in the order of the kinds."""
        order = list(Finding)
        counts = dict.fromkeys((kind.label for kind in Finding), 0)
        lines = list(self._notes)
        for (kind, path), places in sorted(
            self._places.items(), key=lambda item: order.index(item[0][0])
        ):
            counts[kind.label] += len(places)
            words = [f"{line} (as {first})" if first else str(line) for line, first in places]
            if len(words) > MOST_SHOWN:
                words[MOST_SHOWN:] = [f"{len(words) - MOST_SHOWN:,} more places"]
            told = f"{len(places):,} ({kind.done}): line {', '.join(words)}"
            lines.append(f"{path}: {kind.label}: {told}")
        return ReadingNotes(tuple(lines), counts)


def listed(names: Sequence[str]) -> str:
    """Return names in quotes, a part of them if they are many."""
    text = ", ".join(repr(name) for name in names[:MOST_SHOWN])
    if len(names) > MOST_SHOWN:
        text += f" and {len(names) - MOST_SHOWN:,} more"
    return text
