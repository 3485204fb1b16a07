"""The entries of a FAQ that is answered from, and their file: one JSON object a line."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from semblance.data.text import normalise, read_json_lines
from semblance.errors import InputError, at
from semblance.files import require_regular, write_text
from semblance.strict_json import UNWRITABLE

# What no real FAQ comes near; a folder from elsewhere may hold anything.
MOST_BYTES = 1 << 30
MOST_ENTRIES = 1_000_000
MOST_WORDINGS = 10_000  # of one entry
LONGEST_TEXT = 100_000  # characters
LONGEST_ID = 1_000
ADVICE = "write the folder again"


@dataclass(frozen=True)
class FaqEntry:
    """A question, its answer, and other wordings of the question."""

    id: str
    question: str
    answer: str
    wordings: tuple[str, ...] = ()


KEYS = tuple(field.name for field in fields(FaqEntry))


def read_entries(path: Path) -> tuple[FaqEntry, ...]:
    """Read the entries of a file.

    Raises InputError with the line for anything but an object of the four keys, for an empty or
    overlong text, an id that stands twice, and more than MOST_ENTRIES.
    """
    try:
        require_regular(path, MOST_BYTES)
    except FileNotFoundError:
        raise InputError(path, "no such file", ADVICE) from None
    lines = ((at(path, line), value) for line, value in read_json_lines(path))
    return _collect(lines, path)


def write_entries(path: Path, entries: Iterable[FaqEntry]) -> None:
    """Write entries, whole or not at all; InputError for those that ``read_entries`` would refuse."""
    values = [asdict(entry) for entry in entries]
    named = ((f"entry {number}", value) for number, value in enumerate(values, 1))
    _collect(named, path)
    lines = [json.dumps(value, ensure_ascii=False) + "\n" for value in values]
    write_text(path, "".join(lines))


def _collect(values: Iterable[tuple[str, dict[str, Any]]], path: Path) -> tuple[FaqEntry, ...]:
    """Decode entries, each with its place for an error."""
    found: dict[str, FaqEntry] = {}
    for where, value in values:
        entry = _entry_of(value, where)
        if entry.id in found:
            raise InputError(where, f"id {entry.id!r} stands twice", "ids must be unique")
        if len(found) == MOST_ENTRIES:
            raise InputError(where, f"more than {MOST_ENTRIES:,} entries", "split the FAQ")
        found[entry.id] = entry
    if not found:
        raise InputError(path, "holds no entry", ADVICE)
    return tuple(found.values())


def _entry_of(value: dict[str, Any], where: str) -> FaqEntry:
    """Return an entry of its JSON object; by hand, since 100,000 lines are read at a start."""
    if value.keys() != set(KEYS):
        raise InputError(where, f"has other keys than {', '.join(KEYS)}", ADVICE)
    wordings = value["wordings"]
    if not isinstance(wordings, (list, tuple)) or len(wordings) > MOST_WORDINGS:
        raise InputError(where, f"wordings are no list of at most {MOST_WORDINGS:,}", ADVICE)
    return FaqEntry(
        _text(value["id"], "id", where, LONGEST_ID),
        _text(value["question"], "question", where),
        _text(value["answer"], "answer", where),
        tuple(_text(wording, "a wording", where) for wording in wordings),
    )


def _text(value: Any, name: str, where: str, longest: int = LONGEST_TEXT) -> str:
    """Return a text as it stands."""
    if not isinstance(value, str):
        raise InputError(where, f"{name} is not text", ADVICE)
    if len(value) > longest:
        raise InputError(where, f"{name} has more than {longest:,} characters", "shorten it")
    if UNWRITABLE.search(value):
        raise InputError(where, f"{name} holds a NUL or half a surrogate pair", "remove it")
    if not normalise(value):
        raise InputError(where, f"{name} is empty", "fill it in or remove the entry")
    return value
