"""What a verification found: counts of what holds, problems, notes."""

import csv
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from semblance.errors import InputError

DIGESTS, SEALS, LINKS = (
    "digests of files",
    "seals of records",
    "links from records to their sources",
)
SCORES, CELLS = "scores recomputed from predictions", "table cells recomputed from predictions"
UNKNOWN = "scores that predictions cannot give (geometry), digest checked only"
FORMS = "tables and pages, byte for byte as their settings and scores make them"
UNREADABLE = (InputError, OSError, ValueError, LookupError, TypeError, AttributeError, csv.Error)


@dataclass
class Findings:
    """What was checked and held or not, by kind; problems and notes are (path, what)."""

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
        """Tell what is neither right nor wrong."""
        self.notes.append((str(path), what))

    def unreadable(self, kind: str, path: Path, error: Exception) -> None:
        """Make a problem of an error that came up while ``path`` was read."""
        if isinstance(error, InputError):
            told = error.problem if error.where == str(path) else str(error)
        else:
            told = f"cannot be read ({getattr(error, 'strerror', None) or f'{type(error).__name__}: {error}'})"
        self.check(kind, False, path, told)


def report(found: Findings) -> str:
    """Return what holds, with counts, the notes, and each problem on a line of its own."""
    width = max(map(len, found.checked), default=0)
    lines = [
        f"{kind:<{width}}  {total - found.failed[kind]:>7,} of {total:>7,} hold"
        for kind, total in found.checked.items()
    ]
    lines += [
        f"note: {InputError(path, what)}" for path, what in found.notes
    ]  # its text is one harmless line
    lines += [str(InputError(path, what)) for path, what in found.problems]
    return (
        "\n".join(
            [*lines, f"{sum(found.checked.values()):,} checks, {len(found.problems):,} problems"]
        )
        + "\n"
    )
