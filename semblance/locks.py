"""One writer for a folder, across machines too: a lock of the system, and a heartbeat where it does not reach.

The lock (flock) ends with its process, but on some cluster file systems it holds on one node only, or
not at all. So the holder keeps writing who it is, with a count that rises, into the locked file; a
newcomer that the lock cannot keep out watches whether the count rises. Clocks of two machines are
never compared. Standard library only.
"""

import contextlib
import errno
import fcntl
import json
import os
import secrets
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

NAME = ".writer"
WIDTH = 512  # bytes of the file: each beat is one write over the one before


class Busy(OSError):
    """Another process writes this folder."""


class Lease:
    """What a process knows of the folder that it writes as the only one; ``alone`` makes it."""

    BEAT = 10.0  # seconds between beats
    WATCH = (
        25.0  # seconds without a beat after which a holder counts as dead: two beats may be late
    )
    STALE = 600.0  # seconds since the last beat, by the file system's clock, that make watching needless

    def __init__(self, folder: str | os.PathLike, handle: int):
        self.folder, self.path, self.handle = Path(folder), Path(folder, NAME), handle
        self.me = {
            "host": socket.gethostname(),
            "job": os.environ.get("SLURM_JOB_ID", ""),
            "pid": os.getpid(),
            "token": secrets.token_hex(8),
            "beat": 0,
        }
        self.lost = False
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._keep_beating, name="lease", daemon=True)

    def take(self) -> None:
        """Become the holder and start beating; Busy if another is."""
        locked = self._lock()
        found = self._read()
        # On one machine whoever has the lock is alone; another's lock may be known to its own machine only.
        if found and not (locked and _decoded(found).get("host") == self.me["host"]):
            self._watch(found)
        self._beat()
        self._thread.start()

    def check(self) -> None:
        """Raise Busy if another process has taken the folder over, as it may after a silence of WATCH seconds."""
        if self.lost or self._taken():
            raise self._busy(self._read())

    def end(self) -> None:
        """Stop beating; leave the file empty, as a sign of a clean end, unless it is another's now."""
        self._ended.set()
        self._thread.join()
        if not self.lost and not self._taken():
            with contextlib.suppress(OSError):
                os.ftruncate(self.handle, 0)

    def _lock(self) -> bool:
        try:
            fcntl.flock(self.handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise self._busy(self._read()) from None
        except OSError:
            return False  # the file system knows no locks: the beat alone decides
        return True

    def _watch(self, found: bytes) -> None:
        """Return when the holder that wrote ``found`` is dead or gone; Busy if it is alive."""
        deadline = time.monotonic() + self.WATCH
        while self._age() < self.STALE and time.monotonic() < deadline:
            time.sleep(self.WATCH / 25)
            now = self._read()
            if not now:
                return
            if now != found:
                raise self._busy(now)
        print(
            f"note: {self.folder}: its writer ({_name(found)}) gives no sign of life; taken over",
            file=sys.stderr,
        )

    def _age(self) -> float:
        """Return the seconds since the last beat by the file system's own clock; 0 where it cannot be told."""
        with contextlib.suppress(OSError), tempfile.TemporaryFile(dir=self.folder) as probe:
            os.write(probe.fileno(), b".")
            os.fsync(probe.fileno())
            return os.fstat(probe.fileno()).st_mtime - os.stat(self.path).st_mtime
        return 0.0

    def _keep_beating(self) -> None:
        while not self._ended.wait(self.BEAT) and not self._taken():
            self._beat()

    def _beat(self) -> None:
        self.me["beat"] += 1
        with contextlib.suppress(
            OSError
        ):  # a full or failing disk: the next beat tries again, and the lock still holds
            os.pwrite(self.handle, json.dumps(self.me).encode().ljust(WIDTH - 1) + b"\n", 0)
            os.fsync(self.handle)  # or a network file system keeps it to this machine for a while

    def _taken(self) -> bool:
        """Note and tell whether the file holds another's token; read before each beat, after any pause."""
        self.lost = (
            self.lost or _decoded(self._read()).get("token", self.me["token"]) != self.me["token"]
        )
        return self.lost

    def _read(self) -> bytes:
        try:
            with open(
                self.path, "rb"
            ) as stream:  # opened anew, so that a network file system asks its server
                return stream.read(WIDTH).strip()
        except OSError:
            return b""

    def _busy(self, content: bytes) -> Busy:
        return Busy(
            errno.EAGAIN,
            f"another process writes here ({_name(content)}); wait for it to end",
            str(self.folder),
        )


@contextlib.contextmanager
def alone(folder: str | os.PathLike) -> Iterator[Lease]:
    """Write a folder as the only process; raise Busy, which names the other, where another does."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    handle = os.open(Path(folder, NAME), os.O_RDWR | os.O_CREAT, 0o666)
    try:
        lease = Lease(folder, handle)
        lease.take()
        try:
            yield lease
        finally:
            lease.end()
    finally:
        os.close(handle)


def _decoded(content: bytes) -> dict:
    try:
        value = json.loads(content)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _name(content: bytes) -> str:
    """Return who wrote this beat, in words that are safe to show."""
    told = _decoded(content)
    job = f"Slurm job {told['job']}, " if told.get("job") else ""
    name = f"node {told.get('host', 'unknown')}, {job}pid {told.get('pid', 'unknown')}"
    return "".join(c for c in name if c.isprintable())
