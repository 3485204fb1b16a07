"""One controller at a time for an output folder, and no lock that outlives its controller.

Snakemake's own lock is a file: it stays when snakemake is killed, and the next start then refuses
until a person says ``--unlock``. This one is the system's (flock): it ends with its process, however
that ends. Whoever has it knows that Snakemake's lock on the folder, if any, is a dead run's.
"""

import fcntl
import os
import sys
import time
from pathlib import Path
from typing import TextIO

NAME = ".controller"
SNAKEMAKE = Path(".snakemake/locks")


class NoLocks(OSError):
    """The file system knows no locks: Snakemake's own must do."""


_held: dict[str, TextIO] = {}  # open for as long as this process lives


def hold(folder: str | os.PathLike, seconds: float = 0.0) -> bool:
    """Take the folder's lock for the rest of this process, waiting so long for it; say whether it is taken.

    Raises NoLocks where the file system has none.
    """
    if str(folder) in _held:
        return True
    Path(folder).mkdir(parents=True, exist_ok=True)
    handle = open(Path(folder, NAME), "a")  # noqa: SIM115  (it stays open as long as the process)
    deadline = time.monotonic() + seconds
    while not _try(handle):
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.2)
    _held[str(folder)] = handle
    return True


def _try(handle: TextIO) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise NoLocks from error
    return True


def take_over(folder: str | os.PathLike, locks: Path = SNAKEMAKE) -> None:
    """Remove Snakemake's locks on files of ``folder`` if no living controller has it."""
    stale = _snakemakes(folder, locks)
    try:
        if not stale or not hold(folder):
            return
    except NoLocks:
        return
    for lock in stale:
        lock.unlink(missing_ok=True)
    print(f"note: an earlier run on {folder} was killed; its lock is removed", file=sys.stderr)


def is_deserted(folder: str | os.PathLike, locks: Path = SNAKEMAKE) -> bool:
    """Tell whether no living controller has the folder; if so, it is this process's from now on."""
    try:
        return hold(folder)
    except NoLocks:
        return not _snakemakes(folder, locks)


def _snakemakes(folder: str | os.PathLike, locks: Path) -> list[Path]:
    return [
        lock
        for lock in sorted(locks.glob("*.lock"))
        if any(
            line.startswith(f"{folder}/") for line in lock.read_text(errors="replace").splitlines()
        )
    ]
