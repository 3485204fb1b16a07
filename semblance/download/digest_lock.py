"""Digests and revisions that nobody pinned: kept at their first use, required from then on.

The lock file lies beside the downloads. It holds one entry for each file, or for each repository of
a hub. Who writes it holds ``exclusive`` of its folder.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from semblance.errors import InputError
from semblance.locks import FileLock, NoLocks
from semblance.provenance import read_sealed, write_sealed

ADVICE = "if you trust the new content, delete this entry and run again"


class DigestLock:
    """The entries of one lock file: {name of a file or repository: what was found at first use}."""

    def __init__(self, path: Path):
        self.path = path

    def get(self, name: str) -> dict[str, Any] | None:
        """Return the entry of a name, or None before its first use."""
        return self._read().get(name)

    def keep(self, name: str, entry: dict[str, Any]) -> None:
        """Write an entry at its first use; InputError if the file has another one of that name."""
        entries = self._read()
        if name in entries:
            self.require(name, entries[name], entry)
        else:
            write_sealed(self.path, {**entries, name: entry})

    def require(self, name: str, locked: dict[str, Any], found: dict[str, Any]) -> None:
        """Raise InputError, naming the first difference, unless an entry is the locked one."""
        difference = _first_difference(locked, found)
        if difference:
            raise InputError(self.path, f"{name}: {difference}", ADVICE)

    def _read(self) -> dict[str, Any]:
        if not self.path.exists():
            return {}
        return read_sealed(self.path)


def _first_difference(locked: dict[str, Any], found: dict[str, Any]) -> str:
    for key in sorted({*locked, *found}):
        one = locked.get(key)
        other = found.get(key)
        if isinstance(one, dict) and isinstance(other, dict):
            inner = _first_difference(one, other)
            if inner:
                return f"{key}: {inner}"
        elif one != other:
            return f"{key}: {one} at first use, now {other}"
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
