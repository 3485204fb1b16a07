"""What was found in a user's own files: for the log, and counted for the record."""

from collections.abc import Sequence
from pathlib import Path

from semblance.data.faq import ReadingNotes

EMPTY = "empty rows"
DUPLICATE = "duplicate rows"
OTHER_ANSWER = "questions with another answer"
NEAR_QUESTION = "near-duplicate questions"
NEAR_ANSWER = "near-duplicate answers"
REPEATED_QUERY = "repeated queries"
SHARED_QUERY = "queries at a further entry"
OWN_QUESTION = "queries that are a question of the FAQ"
NEAR_QUERY = "near-duplicate queries"
SEVERAL_QUERIES = "queries that may be several"
OTHER_ANSWERS = "rows with several answers"
MERGED = "rows of merged cells"
ROUNDED = "rows with rounded numbers"
FORMAT = "rows with another number format"

# What happens to the rows of each kind, in the words of the log.
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
    SEVERAL_QUERIES: "two question marks, or a semicolon: kept as one; write one a line",
    OTHER_ANSWERS: "the first one is read",
    MERGED: "each row has the value of the merged cell",
    ROUNDED: "Excel keeps 15 digits of a number; an id should be text",
    FORMAT: "read as plain digits, dates as 2024-05-31: Excel shows more; write that as text",
}
MOST_SHOWN = 12  # places of one kind that a line of the log names


class Findings:
    """Collects what is found while files are read."""

    def __init__(self) -> None:
        self._notes: list[str] = []
        # By kind and file: a line, and the earlier line that it is like or 0.
        self._places: dict[tuple[str, str], list[tuple[int, int]]] = {}

    def note(self, path: Path | str, sentence: str) -> None:
        """Keep a sentence on a file."""
        self._notes.append(f"{path}: {sentence}")

    def add(self, kind: str, path: Path | str, line: int, first: int = 0) -> None:
        """Keep a place; ``first`` is the earlier line that it is like."""
        self._places.setdefault((kind, str(path)), []).append((line, first))

    def reading(self) -> ReadingNotes:
        """Return all that was found so far, the kinds in the order of ``DONE``."""
        order = list(DONE)
        kinds = sorted(self._places.items(), key=lambda item: order.index(item[0][0]))
        counts = dict.fromkeys(DONE, 0)
        lines = list(self._notes)
        for (kind, path), places in kinds:
            counts[kind] += len(places)
            words = [f"{line} (as {first})" if first else str(line) for line, first in places]
            if len(words) > MOST_SHOWN:
                words[MOST_SHOWN:] = [f"{len(words) - MOST_SHOWN:,} more places"]
            told = f"{len(places):,} ({DONE[kind]}): line {', '.join(words)}"
            lines.append(f"{path}: {kind}: {told}")
        return ReadingNotes(tuple(lines), counts)


def listed(names: Sequence[str]) -> str:
    """Return names in quotes, a part of them if they are many."""
    text = ", ".join(repr(name) for name in names[:MOST_SHOWN])
    if len(names) > MOST_SHOWN:
        text += f" and {len(names) - MOST_SHOWN:,} more"
    return text
