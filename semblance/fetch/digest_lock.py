"""Digests and revisions that nobody pinned: kept at their first use, required from then on.

The lock file lies with the downloads. It holds {name of a file or repository: what was found at the
first use}. Who writes it holds ``exclusive`` of its folder.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from semblance.errors import InputError
from semblance.locks import FileLock, NoLocks
from semblance.provenance import read_sealed, write_sealed

ADVICE = "if you trust the new content, delete this entry and run again"


def entries(path: Path) -> dict[str, Any]:
    """Return the entries of a lock file, none before the first use."""
    return read_sealed(path) if path.exists() else {}


def keep(path: Path, name: str, entry: dict[str, Any]) -> None:
    """Write an entry at its first use; InputError, naming the first difference, for another one."""
    known = entries(path)
    if name not in known:
        write_sealed(path, {**known, name: entry})
    elif difference := _first_difference(known[name], entry):
        raise InputError(path, f"{name}: {difference}", ADVICE)


def _first_difference(locked: dict[str, Any], found: dict[str, Any]) -> str:
    # Of two objects, such as the files of a repository, the first key that differs says more.
    for key in sorted({*locked, *found}):
        first = locked.get(key)
        now = found.get(key)
        if isinstance(first, dict) and isinstance(now, dict) and first != now:
            return f"{key}: {_first_difference(first, now)}"
        if first != now:
            return f"{key}: {first} at first use, now {now}"
    return ""


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Let one process at a time write a folder's lock file and the parts of its downloads."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / ".fetching")
    try:
        with suppress(NoLocks):  # then nothing keeps two processes off one part file
            lock.take(wait=True)
        yield
    finally:
        lock.release()
