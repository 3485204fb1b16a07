"""What bounds the work of the server: a rate of requests, and a queue before the one model."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


class QueueFull(Exception):
    """So many questions wait already that one more is refused."""


class TokenBucket:
    """At most ``rate`` requests a second on average, and ``burst`` at once."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic):
        self.rate = rate
        self.burst = burst
        self.clock = clock
        self.tokens = float(burst)
        self.filled = clock()

    def take(self) -> bool:
        """Take one request's token; False where none is left."""
        now = self.clock()
        self.tokens = min(self.burst, self.tokens + (now - self.filled) * self.rate)
        self.filled = now
        if self.tokens < 1:
            return False
        self.tokens -= 1
        return True


class Worker:
    """One thread that does all work of the model, one question after the other."""

    def __init__(self, longest: int):
        """``longest`` is the number of questions that may be at work or wait."""
        self.longest = longest
        self.waiting = 0
        self.pool = ThreadPoolExecutor(1, thread_name_prefix="model")

    async def run(self, work: Callable[..., T], *arguments: object) -> T:
        """Return what ``work`` returns, in its turn; QueueFull where too many wait."""
        if self.waiting >= self.longest:
            raise QueueFull
        self.waiting += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self.pool, work, *arguments)
        finally:
            self.waiting -= 1

    def close(self) -> None:
        """Wait until the thread has ended."""
        self.pool.shutdown()
