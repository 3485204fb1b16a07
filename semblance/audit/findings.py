"""What a verification found: numbers of checks, problems, notes."""

import csv
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from semblance.errors import InputError

DIGESTS = "digests of files"
SEALS = "seals of records"
LINKS = "links from records to their sources"
SCORES = "scores recomputed from predictions"
CELLS = "table cells recomputed from predictions"
UNKNOWN = "scores that predictions cannot give (geometry), with a checked digest"
FORMS = "tables and pages, byte for byte as their settings and scores make them"
UNREADABLE = (InputError, OSError, ValueError, LookupError, TypeError, AttributeError, csv.Error)


@dataclass
class Findings:
    """How many checks of each kind were made and failed; problems and notes are (path, what)."""

    checked: Counter = field(default_factory=Counter)
    failed: Counter = field(default_factory=Counter)
    problems: list[tuple[str, str]] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)

    def check(self, kind: str, holds: bool, path: object, problem: str) -> bool:
        """Count one check; one that does not hold is a problem."""
        self.checked[kind] += 1
        if not holds:
            self.failed[kind] += 1
            self.problems.append((str(path), problem))
        return bool(holds)

    def note(self, path: object, what: str) -> None:
        """Keep a remark that is no problem."""
        self.notes.append((str(path), what))

    def unreadable(self, kind: str, path: Path, error: Exception) -> None:
        """Count a failed check for an error that came up while ``path`` was read."""
        self.check(kind, False, path, _format_error(path, error))


def _format_error(path: Path, error: Exception) -> str:
    if not isinstance(error, InputError):
        reason = getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
        return f"cannot be read ({reason})"
    if error.where == str(path):
        return error.problem
    return str(error)


def report(found: Findings) -> str:
    """Return how many checks hold, the notes, and each problem on a line of its own."""
    width = max(map(len, found.checked), default=0)
    lines = []
    for kind, total in found.checked.items():
        holding = total - found.failed[kind]
        lines.append(f"{kind:<{width}}  {holding:>7,} of {total:>7,} hold")
    # The text of an InputError is one line without control characters.
    lines += [f"note: {InputError(path, what)}" for path, what in found.notes]
    lines += [str(InputError(path, what)) for path, what in found.problems]
    checks = sum(found.checked.values())
    lines.append(f"{checks:,} checks, {len(found.problems):,} problems")
    return "\n".join(lines) + "\n"
