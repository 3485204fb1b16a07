"""How long we try to get something from a place, and what we say when it does not come."""

import re
from dataclasses import dataclass

from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt

TRANSIENT = (408, 425, 429, 500, 502, 503, 504)  # HTTP statuses


@dataclass(frozen=True)
class Patience:
    """How long one address is tried.

    ``attempts`` is their number, ``first`` and ``longest`` bound the waits between them (s).
    ``timeout`` (s) bounds, each by itself: the connection, the whole of an answer's headers, and
    each silence after them; over two timeouts of waiting the speed is measured.
    """

    attempts: int = 6
    first: float = 1.0
    longest: float = 120.0
    timeout: float = 30.0


class Unavailable(Exception):
    """A place does not give the file; its text says why. Another place may."""


class Altered(Unavailable):
    """A place gives another content than the expected one."""


class Transient(Unavailable):
    """A failure that may pass; ``wait`` is the time in seconds that the server asks us to wait."""

    def __init__(self, reason: str, wait: float = 0.0):
        super().__init__(reason)
        self.wait = wait


def retrying(patience: Patience) -> Retrying:
    """Return the retry policy: exponential waits, never shorter than the server asks for."""

    def wait(state: RetryCallState) -> float:
        """Return the seconds before the next attempt."""
        backoff = min(patience.longest, patience.first * 2 ** (state.attempt_number - 1))
        return max(backoff, state.outcome.exception().wait)

    return Retrying(
        stop=stop_after_attempt(patience.attempts),
        wait=wait,
        reraise=True,
        retry=retry_if_exception_type(Transient),
    )


def refusal(status: int, retry_after: str | None, patience: Patience) -> Unavailable:
    """Turn an HTTP error status into Transient, or into Unavailable if waiting does not help."""
    reason = f"HTTP {status}"
    if status == 429:
        reason += " (too many requests)"
    if status not in TRANSIENT:
        return Unavailable(reason)
    # ASSUME: a date in Retry-After is ignored; our own back-off then decides.
    wait = 0.0
    if re.fullmatch("[0-9]{1,9}", retry_after or ""):
        wait = float(retry_after)
    if wait > patience.longest:
        return Unavailable(
            f"{reason}; the server asks to wait {wait:.0f} s, longer than {patience.longest:.0f} s"
        )
    return Transient(reason, wait)
