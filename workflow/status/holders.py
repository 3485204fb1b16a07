"""Which process has a lease, by what it wrote into the locked file. No lock is tried or touched."""

import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psutil

from semblance.errors import InputError
from semblance.files import read_regular
from semblance.locks import WIDTH, Lease, decoded

CLOCK = 2.0  # seconds that the clocks of a process table and of a disk may differ


@dataclass(frozen=True)
class Holder:
    """The process that wrote a lease last, and has not ended it.

    ``job`` is its Slurm job, or empty. ``since``: when it began, in seconds since the epoch; of a
    process of another machine, by the number of its beats. ``silent``: the seconds since its last
    beat. ``state``: ``dead`` for a process of this machine that is gone, ``silent`` for one of another
    machine without a beat for long.
    """

    host: str
    pid: int
    job: str
    since: float
    silent: float
    state: Literal["alive", "silent", "dead"]

    @property
    def lives(self) -> bool:
        """Tell whether the process is known to work."""
        return self.state == "alive"

    def describe(self) -> str:
        """Return the process as a person finds it."""
        parts = [self.host, f"pid {self.pid}"]
        if self.job:
            parts.insert(1, f"Slurm job {self.job}")
        return ", ".join(parts)


def holder_of(path: str | Path) -> Holder | None:
    """Return the holder by the locked file; None where the last one ended well, or nobody was."""
    path = Path(path)
    try:
        found = decoded(read_regular(path, WIDTH).strip())
        beaten = path.stat().st_mtime
        host, pid, job, beat = (found[key] for key in ("host", "pid", "job", "beat"))
    except (InputError, OSError, LookupError, TypeError, ValueError):  # it is being written
        return None
    silent = max(0.0, time.time() - beaten)
    since = beaten - max(0, beat - 1) * Lease.BEAT
    if host != socket.gethostname():
        state = "alive" if silent < Lease.WATCH else "silent"
        return Holder(host, pid, job, since, silent, state)
    began = _began(pid)
    # A process that began after the last beat has only the same number.
    if began is None or began > beaten + CLOCK:
        return Holder(host, pid, job, since, silent, "dead")
    return Holder(host, pid, job, began, silent, "alive")


def _began(pid: int) -> float | None:
    """Return when a process of this machine began; None if there is none, or only its exit status."""
    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        return process.create_time()
    except (psutil.Error, ValueError, OverflowError):
        return None
