"""What a verification found: numbers of checks, problems, notes, and these as text for a person."""

import contextlib
import csv
import functools
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tqdm import tqdm

from semblance.counts import counted
from semblance.errors import InputError
from semblance.provenance import canonical

DIGESTS = "digests of files"
SEALS = "seals of records"
KEPT = "kept copies of finished trainings"
LINKS = "links from records to their sources"
SCORES = "scores recomputed from predictions"
CELLS = "table cells recomputed from predictions"
UNKNOWN = "scores that predictions cannot give, with a checked digest"
NUMBERS = "tables, figures and the CSV of all scores, made again from settings and scores"
VERDICTS = "verdicts judged again from the cells"
UNREADABLE = (InputError, OSError, ValueError, LookupError, TypeError, AttributeError, csv.Error)
MOST_SHOWN = 20  # of the problems that damaged files may have caused
bar = functools.partial(tqdm, leave=False, disable=None)  # how far a check is, on a terminal alone


@dataclass(frozen=True)
class Problem:
    """One check that failed: the stage that wrote ``path`` must run again."""

    kind: str
    path: str
    what: str


@dataclass
class Findings:
    """How many checks of each kind were made, the failed ones, and notes (path, what).

    ``delete``: the files without which the next run mends the problems. ``advice``: what mends them
    where there are none.
    """

    checked: Counter = field(default_factory=Counter)
    failures: list[Problem] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    delete: set[Path] = field(default_factory=set)
    advice: str = "start the run again. Then verify again."

    @property
    def failed(self) -> Counter:
        """How many checks of each kind failed."""
        return Counter(problem.kind for problem in self.failures)

    @property
    def problems(self) -> list[tuple[str, str]]:
        """Where each check failed, and what is wrong there."""
        return [(problem.path, problem.what) for problem in self.failures]

    def check(self, kind: str, path: object, holds: bool, problem: str) -> bool:
        """Count one check; one that does not hold is a problem."""
        self.checked[kind] += 1
        if not holds:
            self.failures.append(Problem(kind, str(path), problem))
        return bool(holds)

    def note(self, path: object, what: str) -> None:
        """Add a remark that is no problem; ``what`` is alike for all that is of one kind."""
        self.notes.append((str(path), what))

    @contextlib.contextmanager
    def reading(self, kind: str, path: Path) -> Iterator[None]:
        """Count a failed check for an error that comes up while ``path`` is read."""
        try:
            yield
        except UNREADABLE as error:
            problem = str(error)
            if not isinstance(error, InputError):
                reason = getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
                problem = f"cannot be read ({reason})"
            elif error.where == str(path):
                problem = error.problem
            self.check(kind, path, False, problem)


def format_findings(found: Findings) -> str:
    """Return the result, how many checks hold, each problem, the notes, and what to do."""
    checks = counted(sum(found.checked.values()), "check")
    lines = [f"{checks}, {counted(len(found.failures), 'problem')}"]
    width = max(map(len, found.checked), default=0)
    failed = found.failed
    for kind, total in found.checked.items():
        holding = total - failed[kind]
        lines.append(f"{kind:<{width}}  {holding:>7,} of {total:>7,} hold")
    lines += [*_problem_lines(found), *_note_line(found)]
    if found.delete:
        names = [f"    {path}" for path in sorted(found.delete)]
        lines += ["To mend this, delete", *names, "and start the run again. Then verify again."]
    elif found.failures:
        lines.append(f"To mend this, {found.advice}")
    return "\n".join(lines) + "\n"


def findings_json(found: Findings) -> str:
    """Return the result for programs: checks by kind, problems, notes, and the files to delete."""
    return canonical(
        {
            "checks": found.checked,
            "problems": list(map(asdict, found.failures)),
            "notes": [{"path": path, "what": what} for path, what in found.notes],
            "delete": sorted(map(str, found.delete)),
        }
    )


def _problem_lines(found: Findings) -> Iterator[str]:
    """Yield a line for each damaged file, then for the first of the other problems."""
    damaged = [problem for problem in found.failures if problem.kind in (DIGESTS, SEALS)]
    others = [problem for problem in found.failures if problem.kind not in (DIGESTS, SEALS)]
    for problem in (*damaged, *others[:MOST_SHOWN]):
        # The text of an InputError is one line without control characters.
        yield str(InputError(problem.path, problem.what))
    if len(others) > MOST_SHOWN:
        yield f"... and {counted(len(others) - MOST_SHOWN, 'problem')} more"


def _note_line(found: Findings) -> Iterator[str]:
    """Yield one line for all notes: the number of each kind, and the place of a single one."""
    places: dict[str, list[str]] = {}
    for path, what in found.notes:
        places.setdefault(what, []).append(path)
    kinds = [
        f"{len(paths):,} × {what}" if len(paths) > 1 else str(InputError(paths[0], what))
        for what, paths in places.items()
    ]
    if kinds:
        yield f"{counted(len(found.notes), 'note')}, no problem: {'; '.join(kinds)}"
