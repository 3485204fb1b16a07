"""One answer of a web server, within limits: of time for its headers, of speed, of redirections.

The timeouts of the HTTP libraries bound each read alone. A server that sends one byte a second, or
`100 Continue` for ever, is never late for them. So a thread of its own reads each answer, and who
waits for that thread keeps the time.
"""

import queue
import re
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

import requests
import urllib3
from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt

TRANSIENT = (408, 425, 429, 500, 502, 503, 504)  # HTTP statuses
# At less than this the weights of BERT-base (440 MB) would take more than half a day. A new attempt,
# perhaps to a faster server, continues where the old one stopped.
LEAST_SPEED = 10_000  # bytes a second
WINDOW = 2  # timeouts, so a minute: the waiting time over which the speed is measured
REDIRECTIONS = 5  # followed at most
CHUNK = 1 << 16  # bytes
AHEAD = 64  # chunks that may wait for the disk
PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Patience:
    """How long one address is tried.

    ``attempts`` is their number, ``first`` and ``longest`` bound the waits between them (s).
    ``timeout`` (s) bounds, each by itself: the time until an answer's headers are there, and each
    silence after them; over two timeouts of waiting the speed is measured.
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


@dataclass(frozen=True)
class Answer:
    """An answer whose headers are there; ``chunks`` reads its body, once."""

    status: int
    headers: Mapping[str, str]
    chunks: Iterator[bytes]

    @property
    def length(self) -> int | None:
        """The size that its headers state of the body, None of a compressed or an unknown one."""
        text = self.headers.get("Content-Length", "")
        if re.fullmatch("[0-9]{1,18}", text) and "Content-Encoding" not in self.headers:
            return int(text)
        return None

    def refusal(self, patience: Patience) -> Unavailable:
        """Return its error status as Transient, or as Unavailable if waiting does not help."""
        reason = f"HTTP {self.status}"
        if self.status == 429:
            reason += " (too many requests)"
        if self.status not in TRANSIENT:
            return Unavailable(reason)
        # ASSUME: a date in Retry-After is ignored; our own back-off then decides.
        stated = self.headers.get("Retry-After", "")
        wait = float(stated) if re.fullmatch("[0-9]{1,9}", stated) else 0.0
        if wait > patience.longest:
            asked = f"the server asks to wait {wait:.0f} s, longer than {patience.longest:.0f} s"
            return Unavailable(f"{reason}; {asked}")
        return Transient(reason, wait)


@contextmanager
def open_answer(
    method: str,
    url: str,
    patience: Patience,
    headers: Mapping[str, str] | None = None,
    last: str = "",
) -> Iterator[Answer]:
    """Yield the answer of an address: its headers are there, its body is still to be read.

    Redirections are followed, but not from an answer that has the header ``last``. The header
    ``Authorization`` goes to the server of ``url`` alone. Raises Unavailable, or Transient if
    asking again may help; also for a connection that fails while the body is read.
    """
    place = url
    for _ in range(REDIRECTIONS + 1):
        sent = dict(headers or {})
        if server_of(place) != server_of(url):
            sent.pop("Authorization", None)
            sent.pop("authorization", None)
        question = _Question(method, place, sent, patience.timeout)
        try:
            response = question.next("its headers were not there")
            if not response.is_redirect or last in response.headers:
                yield Answer(response.status_code, response.headers, question.chunks())
                return
            place = _target(place, response.headers["Location"])
        finally:
            question.end()
    raise Unavailable(f"more than {REDIRECTIONS} redirections")


def _target(place: str, location: str) -> str:
    try:
        target = urljoin(place, location)
        server_of(target)
    except ValueError:
        raise Unavailable(f"it redirects to {location!r:.200}, which is no address") from None
    return target


def server_of(url: str) -> tuple[str, str, int]:
    """Return scheme, host and port of an address; ValueError for what is none."""
    parts = urlsplit(url)
    port = parts.port
    if port is None:
        port = PORTS.get(parts.scheme, 0)
    return parts.scheme, parts.hostname or "", port


class _Question:
    """One request: a thread asks and hands on the response, then its chunks, the last one empty.

    A thread that is left alone ends at its next byte, and at the end of the process at the latest.
    """

    def __init__(self, method: str, place: str, headers: dict[str, str], timeout: float):
        self.timeout = timeout
        self.items: queue.Queue = queue.Queue(AHEAD)
        self.ended = threading.Event()
        self.response: requests.Response | None = None
        asking = threading.Thread(target=self._ask, args=(method, place, headers), daemon=True)
        asking.start()

    def _ask(self, method: str, place: str, headers: dict[str, str]) -> None:
        """Ask, in the thread, and hand on what comes, be it an error."""
        # A host may have two addresses of which one is dead: both are tried in time.
        limits = (self.timeout / 2, 2 * self.timeout)
        try:
            with requests.Session() as session:
                # Even without following them, requests would read the whole body of a redirection.
                session.get_redirect_target = lambda resp: None
                with session.request(
                    method, place, headers=headers, stream=True, timeout=limits
                ) as response:
                    self.response = response
                    self._hand_on(response)
                    chunk = b"any"
                    while chunk and not self.ended.is_set():
                        chunk = response.raw.read1(CHUNK, decode_content=True)
                        self._hand_on(chunk)
        except Exception as error:
            self._hand_on(error)

    def _hand_on(self, item: object) -> None:
        if not self.ended.is_set():
            self.items.put(item)

    def next(self, otherwise: str) -> requests.Response | bytes:
        """Return what the thread hands on next; Unavailable, or Transient, says what went wrong."""
        try:
            item = self.items.get(timeout=self.timeout)
        except queue.Empty:
            raise Transient(f"{otherwise} within {self.timeout:g} s") from None
        match item:
            case urllib3.exceptions.DecodeError():
                raise Unavailable(f"its body cannot be unpacked: {item}") from item
            case requests.ConnectionError() | requests.Timeout() | urllib3.exceptions.HTTPError():
                raise Transient(f"the connection failed ({type(item).__name__})") from item
            case requests.RequestException() | ValueError():
                raise Unavailable(" ".join(str(item).split())) from item
            case Exception():
                raise item
        return item

    def chunks(self) -> Iterator[bytes]:
        """Yield the body; Transient for a silence, and for less than the least speed."""
        waited = 0.0  # seconds for the server, since the last look at the speed
        received = 0  # bytes, in this time
        began = time.monotonic()
        while chunk := self.next("nothing more came"):
            waited += time.monotonic() - began
            received += len(chunk)
            if waited >= WINDOW * self.timeout:
                if received < LEAST_SPEED * waited:
                    speed = received / waited
                    raise Transient(f"{speed:,.0f} bytes a second, fewer than {LEAST_SPEED:,}")
                waited = 0.0
                received = 0
            yield chunk
            began = time.monotonic()

    def end(self) -> None:
        """Let the thread end: it may be waiting for the server, or for room in the queue."""
        self.ended.set()
        if self.response is not None:
            with suppress(OSError, RuntimeError, ValueError):  # it is read to its end, or gone
                self.response.raw.shutdown()
        while not self.items.empty():
            self.items.get_nowait()
