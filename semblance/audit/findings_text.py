"""What a verification found, as lines of text for a person: the result first."""

from collections.abc import Iterator

from semblance.audit.findings import Findings, Problem, RootCause
from semblance.counts import counted
from semblance.errors import InputError


def format_findings(found: Findings) -> str:
    """Return the result, how many checks hold, each problem, the notes, and what to do."""
    lines = [_result(found), *_counts(found)]
    for cause in found.causes:
        lines += _cause_lines(cause)
    lines += _note_lines(found)
    return "\n".join([*lines, *found.advice]) + "\n"


def _result(found: Findings) -> str:
    checks = sum(found.checked.values())
    line = f"{counted(checks, 'check')}, {counted(len(found.failures), 'problem')}"
    if len(found.causes) < len(found.failures):
        line += f" from {counted(len(found.causes), 'cause')}"
    return line


def _counts(found: Findings) -> Iterator[str]:
    width = max(map(len, found.checked), default=0)
    for kind, total in found.checked.items():
        holding = total - found.failed[kind]
        yield f"{kind:<{width}}  {holding:>7,} of {total:>7,} hold"


def _cause_lines(cause: RootCause) -> Iterator[str]:
    yield from map(_problem_line, cause.problems)
    others = len(cause.consequences)
    if others:
        example = _problem_line(cause.consequences[0])
        yield f"    {counted(others, 'problem')} more because of this, such as {example}"


def _problem_line(problem: Problem) -> str:
    # The text of an InputError is one line without control characters.
    return str(InputError(problem.path, problem.what))


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
