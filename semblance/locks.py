"""One writer for a folder, on one machine and across machines.

A ``FileLock`` (flock) ends with its process. On some cluster file systems it holds on one node
only, or there are no locks at all. So a ``Lease`` adds a heartbeat: its holder keeps writing who it
is, with a count that rises, into the locked file. A newcomer that the lock cannot keep out watches
whether the count rises. Clocks of two machines are never compared. Standard library only.

Every stage that writes a record holds the lease of this record while it works
(``workflow.scripts.endings``), and so does a run for its output folder (``workflow.run``).
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

from semblance.layout import RECORD

NAME = ".writer"
WIDTH = 512  # bytes of the file: each beat is one write over the one before


class NoLocks(OSError):
    """The file system has no locks."""


class Busy(OSError):
    """Another process writes this folder; ``writer`` says which, ``job`` is its Slurm job, if any."""

    writer = "another process"
    job = ""


class FileLock:
    """A lock of the operating system on a file, for one process at a time.

    The file is made if it is missing, and it stays. The system frees the lock when its process
    ends, however it ends. A program that this process starts does not inherit the lock.
    """

    def __init__(self, path: str | os.PathLike, mode: int = 0o666):
        self.path = Path(path)
        self.handle = os.open(path, os.O_RDWR | os.O_CREAT, mode)

    def take(self, wait: bool = False) -> bool:
        """Take the lock and return True; return False where another process has it.

        With ``wait``, wait until the lock is free. Raises NoLocks where the file system has none.
        """
        how = fcntl.LOCK_EX
        if not wait:
            how |= fcntl.LOCK_NB
        try:
            fcntl.flock(self.handle, how)
        except BlockingIOError:
            return False
        except OSError as error:
            raise NoLocks(error.errno, error.strerror, str(self.path)) from error
        return True

    def release(self) -> None:
        """Close the file, which frees the lock."""
        os.close(self.handle)


class Lease:
    """The right of one process to write a folder; ``exclusive`` makes it.

    ``name`` is that of the locked file: records that share a folder have one each.
    """

    BEAT = 10.0  # seconds between beats
    WATCH = 25.0  # seconds without a beat after which a holder is dead: two beats may be late
    STALE = 600.0  # a beat is not watched if it is older than this, by the file system's clock (s)
    POLL = 0.5  # seconds between two tries to get the folder of a living writer

    def __init__(self, folder: str | os.PathLike, name: str = NAME):
        self.folder = Path(folder)
        self.lock = FileLock(self.folder / name)
        self.holder = {
            "host": socket.gethostname(),
            "job": os.environ.get("SLURM_JOB_ID", ""),
            "pid": os.getpid(),
            "token": secrets.token_hex(8),
            "beat": 0,
        }
        self.lost = False
        self.killed_writer = ""  # the process that held the folder before, if it was killed
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._keep_beating, name="lease", daemon=True)

    def wait(self) -> None:
        """Take the folder as soon as it is free; one line says who has it until then.

        Raises Busy for a writer in another Slurm job: this job's nodes would stand idle meanwhile.
        """
        said = False
        while True:
            try:
                return self.take()
            except Busy as busy:
                if self.holder["job"] and busy.job != self.holder["job"]:
                    raise
                if not said:
                    line = f"waiting for {busy.writer}, which writes {self.folder}"
                    print(line, file=sys.stderr, flush=True)
                said = True
                time.sleep(self.POLL)

    def take(self) -> None:
        """Become the holder and start beating; raise Busy if another process is the holder."""
        locked = self._take_lock()
        holder = self._read()
        # A lock that was taken rules out a holder on this machine, but not one on another machine.
        on_this_machine = decoded(holder).get("host") == self.holder["host"]
        if holder and not (locked and on_this_machine):
            self._watch(holder)
        if holder and self._read():  # an empty file would be the sign of a clean end
            self.killed_writer = _name_holder(holder)
        self._beat()
        self._thread.start()

    def check(self) -> None:
        """Raise Busy if another process took the folder over, as it may after a long silence."""
        if self.lost or self._is_taken_over():
            raise self._busy(self._read())

    def end(self) -> None:
        """Stop beating; empty the file, as the sign of a clean end, if it is still this process's."""
        self._ended.set()
        self._thread.join()
        if not self.lost and not self._is_taken_over():
            with contextlib.suppress(OSError):
                os.ftruncate(self.lock.handle, 0)

    def _take_lock(self) -> bool:
        """Tell whether the file system has locks; raise Busy if another process has this one."""
        try:
            taken = self.lock.take()
        except NoLocks:
            return False  # the heartbeat alone decides
        if not taken:
            raise self._busy(self._read())
        return True

    def _watch(self, found: bytes) -> None:
        """Return when the holder that wrote ``found`` is dead or gone; raise Busy if it lives."""
        deadline = time.monotonic() + self.WATCH
        while self._age() < self.STALE and time.monotonic() < deadline:
            time.sleep(self.WATCH / 25)
            now = self._read()
            if not now:
                return
            if now != found:
                raise self._busy(now)
        print(
            f"note: {self.folder}: its writer ({_name_holder(found)}) gives no sign of life;"
            " taken over",
            file=sys.stderr,
        )

    def _age(self) -> float:
        """Return the seconds since the last beat by the file system's own clock; 0 if unknown."""
        with contextlib.suppress(OSError), tempfile.TemporaryFile(dir=self.folder) as probe:
            os.write(probe.fileno(), b".")
            os.fsync(probe.fileno())
            return os.fstat(probe.fileno()).st_mtime - os.stat(self.lock.path).st_mtime
        return 0.0

    def _keep_beating(self) -> None:
        while not self._ended.wait(self.BEAT) and not self._is_taken_over():
            self._beat()

    def _beat(self) -> None:
        self.holder["beat"] += 1
        content = json.dumps(self.holder).encode().ljust(WIDTH - 1) + b"\n"
        # On a full or failing disk the next beat tries again, and the lock still holds.
        with contextlib.suppress(OSError):
            os.pwrite(self.lock.handle, content, 0)
            os.fsync(self.lock.handle)  # or a network file system keeps it on this machine a while

    def _is_taken_over(self) -> bool:
        """Tell, and remember, whether the file holds another process's token."""
        mine = self.holder["token"]
        if decoded(self._read()).get("token", mine) != mine:
            self.lost = True
        return self.lost

    def _read(self) -> bytes:
        try:
            # Opened anew each time, so that a network file system asks its server.
            with open(self.lock.path, "rb") as stream:
                return stream.read(WIDTH).strip()
        except OSError:
            return b""

    def _busy(self, content: bytes) -> Busy:
        problem = f"another process writes here ({_name_holder(content)}); wait for it to end"
        busy = Busy(errno.EAGAIN, problem, str(self.folder))
        busy.writer = _name_holder(content)
        busy.job = str(decoded(content).get("job", ""))
        return busy


_held: dict[str, Lease] = {}  # by the path of the locked file: the leases of this process


@contextlib.contextmanager
def exclusive(folder: str | os.PathLike, name: str = NAME, wait: bool = False) -> Iterator[Lease]:
    """Write a folder as the only process; raise Busy, which names the other, where another does.

    With ``wait``, wait for the other process (``Lease.wait``). A process that has the lease of the
    folder already gets the same one.
    """
    Path(folder).mkdir(parents=True, exist_ok=True)
    key = os.path.realpath(Path(folder, name))
    if key in _held:
        yield _held[key]
        return
    lease = Lease(folder, name)
    try:
        if wait:
            lease.wait()
        else:
            lease.take()
        _held[key] = lease
        try:
            yield lease
        finally:
            del _held[key]
            lease.end()
    finally:
        lease.lock.release()


def name_for(record: str | os.PathLike) -> str:
    """Return the name of the locked file of a record, which may share its folder with others."""
    path = Path(record)
    if path.name == RECORD:
        return NAME
    return f".{path.stem}{NAME}"


def decoded(content: bytes) -> dict:
    """Return what the holder of a lease has written into its file; nothing of one that has ended."""
    try:
        value = json.loads(content)
    except ValueError:
        return {}
    if not isinstance(value, dict):
        return {}
    return value


def _name_holder(content: bytes) -> str:
    """Return who wrote a beat, in characters that are safe to print."""
    holder = decoded(content)
    parts = [f"node {holder.get('host', 'unknown')}"]
    if holder.get("job"):
        parts.append(f"Slurm job {holder['job']}")
    parts.append(f"pid {holder.get('pid', 'unknown')}")
    return "".join(c for c in ", ".join(parts) if c.isprintable())
