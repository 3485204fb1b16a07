"""What a verification found, as lines of text for a person: the result first."""

from collections.abc import Iterator
from pathlib import Path

from semblance.audit.findings import DIGESTS, SEALS, Findings
from semblance.counts import counted
from semblance.errors import InputError

MOST_SHOWN = 20  # of the problems that damaged files may have caused


def format_findings(found: Findings) -> str:
    """Return the result, how many checks hold, each problem, the notes, and what to do."""
    checks = counted(sum(found.checked.values()), "check")
    lines = [f"{checks}, {counted(len(found.failures), 'problem')}", *_counts(found)]
    lines += [*_problem_lines(found), *_note_lines(found)]
    if found.failures:
        lines += _advice(found.delete)
    return "\n".join(lines) + "\n"


def _counts(found: Findings) -> Iterator[str]:
    width = max(map(len, found.checked), default=0)
    for kind, total in found.checked.items():
        holding = total - found.failed[kind]
        yield f"{kind:<{width}}  {holding:>7,} of {total:>7,} hold"


def _problem_lines(found: Findings) -> Iterator[str]:
    """Yield a line for each damaged file, then for the first of the other problems."""
    damaged = [problem for problem in found.failures if problem.kind in (DIGESTS, SEALS)]
    others = [problem for problem in found.failures if problem.kind not in (DIGESTS, SEALS)]
    for problem in (*damaged, *others[:MOST_SHOWN]):
        # The text of an InputError is one line without control characters.
        yield str(InputError(problem.path, problem.what))
    if len(others) > MOST_SHOWN:
        yield f"... and {counted(len(others) - MOST_SHOWN, 'problem')} more"


def _advice(files: set[Path]) -> list[str]:
    if not files:
        return ["To mend this, start the run again. Then verify again."]
    names = [f"    {path}" for path in sorted(files)]
    return ["To mend this, delete", *names, "and start the run again. Then verify again."]


def _note_lines(found: Findings) -> Iterator[str]:
    """Yield each note once, with its first path and the number of the others."""
    places: dict[str, list[str]] = {}
    for path, what in found.notes:
        places.setdefault(what, []).append(path)
    for what, paths in places.items():
        line = f"note: {InputError(paths[0], what)}"
        if len(paths) > 1:
            line += f" (and {len(paths) - 1:,} more like it)"
        yield line
