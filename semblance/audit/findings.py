"""What a verification found: numbers of checks, problems, notes."""

import csv
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from semblance.errors import InputError

DIGESTS = "digests of files"
SEALS = "seals of records"
KEPT = "kept copies of finished trainings"
LINKS = "links from records to their sources"
SCORES = "scores recomputed from predictions"
CELLS = "table cells recomputed from predictions"
UNKNOWN = "scores that predictions cannot give (geometry), with a checked digest"
FORMS = "tables and pages, byte for byte as their settings and scores make them"
UNREADABLE = (InputError, OSError, ValueError, LookupError, TypeError, AttributeError, csv.Error)


@dataclass(frozen=True)
class Problem:
    """One check that failed: the stage that wrote ``path`` must run again."""

    kind: str
    path: str
    what: str


@dataclass
class Findings:
    """How many checks of each kind were made and failed, the failed ones, and notes (path, what).

    ``delete``: the files without which the next run mends the problems.
    """

    checked: Counter = field(default_factory=Counter)
    failed: Counter = field(default_factory=Counter)
    failures: list[Problem] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    delete: set[Path] = field(default_factory=set)

    @property
    def problems(self) -> list[tuple[str, str]]:
        """Where each check failed, and what is wrong there."""
        return [(problem.path, problem.what) for problem in self.failures]

    def check(self, kind: str, holds: bool, path: object, problem: str) -> bool:
        """Count one check; one that does not hold is a problem."""
        self.checked[kind] += 1
        if not holds:
            self.failed[kind] += 1
            self.failures.append(Problem(kind, str(path), problem))
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
