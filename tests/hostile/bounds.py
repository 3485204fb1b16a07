"""Limits of time and memory around a reader, and how its time grows with its input."""

import contextlib
import gc
import resource
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

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


def _too_slow(*_: object) -> None:
    raise AssertionError("this reader takes too long")


def growth(run: Callable[[int], object], size: int, times: int = 4) -> float:
    """Return how many times longer ``run`` takes with ``times`` as much; linear gives ``times``."""
    return _seconds(run, times * size) / _seconds(run, size)


def _seconds(run: Callable[[int], object], size: int) -> float:
    """Return the shortest of three times, of the process alone: others may use the machine, too."""
    found = []
    gc.disable()  # it looks at all objects of the process, also at those of other tests
    try:
        for _ in range(3):
            began = time.process_time()
            run(size)
            found.append(time.process_time() - began)
    finally:
        gc.enable()
    return min(found)
