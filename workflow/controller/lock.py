"""One controller at a time for an output folder, and no lock that outlives its controller.

Snakemake's own lock is a file. It stays when snakemake is killed, and the next start then refuses
until a person says ``--unlock``. The lock here is the operating system's: it ends with its process.
The process that has it knows that any Snakemake lock on the folder was left by a dead run.
"""

import os
import sys
import time
from pathlib import Path

from semblance.locks import FileLock, NoLocks

NAME = ".controller"
SNAKEMAKE_LOCKS = Path(".snakemake/locks")
POLL = 0.2  # seconds between two tries

_held: dict[str, FileLock] = {}  # by folder; kept for as long as this process lives


def hold(folder: str | os.PathLike, seconds: float = 0.0) -> bool:
    """Take the folder's lock for the rest of this process; return whether it is taken.

    Waits up to ``seconds`` for it. Raises NoLocks where the file system has no locks.
    """
    if str(folder) in _held:
        return True
    Path(folder).mkdir(parents=True, exist_ok=True)
    lock = FileLock(Path(folder, NAME))
    taken = False
    try:
        taken = _take_within(lock, seconds)
    finally:
        if not taken:
            lock.release()
    if taken:
        _held[str(folder)] = lock
    return taken


def _take_within(lock: FileLock, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not lock.take():
        if time.monotonic() >= deadline:
            return False
        time.sleep(POLL)
    return True


def take_over(folder: str | os.PathLike, locks: Path = SNAKEMAKE_LOCKS) -> None:
    """Remove Snakemake's locks on files of ``folder`` if no living controller has the folder."""
    stale = _snakemake_locks(folder, locks)
    try:
        if not stale or not hold(folder):
            return
    except NoLocks:
        return
    for lock in stale:
        lock.unlink(missing_ok=True)
    print(f"note: an earlier run on {folder} was killed; its lock is removed", file=sys.stderr)


def is_deserted(folder: str | os.PathLike, locks: Path = SNAKEMAKE_LOCKS) -> bool:
    """Tell whether no living controller has the folder; if so, this process has it from now on."""
    try:
        return hold(folder)
    except NoLocks:
        return not _snakemake_locks(folder, locks)


def _snakemake_locks(folder: str | os.PathLike, locks: Path) -> list[Path]:
    """Return Snakemake's lock files that name a file of ``folder``."""
    return [path for path in sorted(locks.glob("*.lock")) if _names_a_file_of(path, folder)]


def _names_a_file_of(lock: Path, folder: str | os.PathLike) -> bool:
    lines = lock.read_text(errors="replace").splitlines()
    return any(line.startswith(f"{folder}/") for line in lines)
