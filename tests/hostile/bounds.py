"""Limits of time and memory around a reader, and what may lie in the place of a file."""

import contextlib
import os
import resource
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from semblance.errors import InputError

SECONDS = 10
MEMORY = 300 << 20  # bytes


@contextlib.contextmanager
def bounded(seconds: int = SECONDS, memory: int = MEMORY) -> Iterator[None]:
    """Fail a block that takes longer, or asks for more memory than the process has now."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limits = resource.getrlimit(resource.RLIMIT_AS)
    handler = signal.signal(signal.SIGALRM, _too_slow)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + memory, limits[1]))
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, handler)
        resource.setrlimit(resource.RLIMIT_AS, limits)


class TooSlow(BaseException):
    """Raised in a reader that takes too long; one that catches every Exception does not catch it."""


def _too_slow(*_: object) -> None:
    raise TooSlow


def refusal(read: Callable, *arguments: object, seconds: int = SECONDS) -> str:
    """Call a reader, which must refuse what it reads, within the bounds; return its one line."""
    with bounded(seconds), pytest.raises(InputError) as caught:
        read(*arguments)
    return str(caught.value)


def survives(read: Callable, path: Path) -> str:
    """Read a file within the bounds: parsed, or refused in the one line that is returned."""
    try:
        with bounded():
            read(path)
    except InputError as error:
        return str(error)
    return ""


def put(path: Path, kind: str) -> Path:
    """Put what is no file, or a far too large one, in the place of a file."""
    if kind == "a pipe":
        os.mkfifo(path)
    elif kind == "a folder":
        path.mkdir()
    else:
        path.touch()
        os.truncate(path, 1 << 40)  # without content it needs no room on the disk
    return path
