"""One answer of a web server, within bounds of time: what it states of a file, or its bytes.

The timeouts of the HTTP libraries bound each read alone. A server that sends one byte a second, or
`100 Continue` for ever, is never late for them. So each request runs in a thread of its own, and
whoever waits for that thread looks at how many bytes came.
"""

import re
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urljoin

import requests
import urllib3
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential

from semblance.fetch.manifest import AT_COMMIT, Pin

T = TypeVar("T")
TRANSIENT = (408, 425, 429, 500, 502, 503, 504)  # HTTP statuses
WITHOUT_HEAD = (403, 405, 501)  # HTTP statuses of servers that answer no HEAD
# At less than this the weights of BERT-base (440 MB) take more than half a day. A new attempt,
# perhaps to a faster server, continues where the old one stopped.
LEAST_SPEED = 10_000  # bytes a second
REDIRECTIONS = 5  # followed at most
CHUNK = 1 << 16  # bytes
# A hub sends it with the redirection of a large file. Behind lies storage that states no digest.
LINKED = "X-Linked-Etag"
# A compressed answer could neither be counted nor continued, and its size is another one.
IDENTITY = {"Accept-Encoding": "identity"}


@dataclass(frozen=True)
class Patience:
    """How long one address is tried.

    ``attempts`` is their number, ``first`` and ``longest`` bound the waits between them (s). Within
    each ``timeout`` (s) an answer ends, or brings bytes at LEAST_SPEED.
    """

    attempts: int = 6
    first: float = 1.0
    longest: float = 120.0
    timeout: float = 60.0


PATIENT = Patience()


class Unavailable(Exception):
    """A place does not give the file; its text says why. Another place may."""


class Altered(Unavailable):
    """A place gives another content than the expected one."""


class Transient(Unavailable):
    """A failure that may pass; ``wait`` is the time in seconds that the server asks us to wait."""

    def __init__(self, reason: str, wait: float = 0.0):
        super().__init__(reason)
        self.wait = wait


def ask_address(url: str, patience: Patience, headers: Mapping[str, str] | None = None) -> Pin:
    """Return what a server states of the file at an address, as a pin.

    A hub states the sha256 of a large file and the git blob of a small one; other servers state
    the size alone, or nothing. ``headers`` are sent to the address. Raises Unavailable.
    """
    sent = {**(headers or {}), **IDENTITY}
    return retrying(patience)(watched, patience, _ask, url, sent, patience)


def _ask(request: "Request", url: str, headers: dict[str, str], patience: Patience) -> Pin:
    response = request.open("HEAD", url, headers, last=LINKED)
    if response.status_code in WITHOUT_HEAD:
        first_byte = {**headers, "Range": "bytes=0-0"}
        response = request.open("GET", url, first_byte, last=LINKED)
    found = response.headers
    if response.status_code not in (200, 206) and LINKED not in found:
        raise refusal(response, patience)
    size = None
    if "Content-Encoding" not in found:
        text = found.get("Content-Length", "")
        if response.status_code == 206:
            text = found.get("Content-Range", "").rpartition("/")[2]
        size = number(found.get("X-Linked-Size", text))
    commit = AT_COMMIT.search(url)
    stated = found.get("X-Repo-Commit")
    if commit is None or stated is None:
        return Pin(size=size)
    if stated != commit[1]:
        raise Unavailable(f"the hub answers with revision {stated}")
    etag = found.get(LINKED, found.get("ETag", ""))
    return stated_pin(etag.removeprefix("W/").strip('"'), size)


def stated_pin(etag: str, size: int | None) -> Pin:
    """Return the pin that a hub's etag is: a sha256 of a large file, a git blob of a small one."""
    if re.fullmatch("[0-9a-f]{64}", etag):
        return Pin(etag, size)
    if re.fullmatch("[0-9a-f]{40}", etag):
        return Pin(None, size, etag)
    return Pin(size=size)


class Request:
    """What one thread asks of a server, and how many bytes it has received."""

    def __init__(self, timeout: float):
        # A host may have two addresses of which one is dead: both are tried in time. A silence is
        # the matter of ``watched``; the second limit ends the thread that nobody waits for.
        self.limits = (timeout / 2, 2 * timeout)
        self.received = 0
        self.ended = False
        self.lock = threading.Lock()
        self.response: requests.Response | None = None

    def open(
        self, method: str, url: str, headers: Mapping[str, str], last: str = ""
    ) -> requests.Response:
        """Return the answer of an address, its body still to be read.

        Redirections are followed, but not from an answer that has the header ``last``. The header
        ``Authorization`` goes to the server of ``url`` alone.
        """
        session = requests.Session()
        # Even without following them, requests would read the whole body of a redirection.
        session.get_redirect_target = lambda resp: None
        place = url
        for _ in range(REDIRECTIONS + 1):
            sent = dict(headers)
            if session.should_strip_auth(url, place):
                sent = {key: text for key, text in sent.items() if key.lower() != "authorization"}
            self.close()
            self.response = session.request(
                method, place, headers=sent, stream=True, timeout=self.limits
            )
            if not self.response.is_redirect or last in self.response.headers:
                return self.response
            place = urljoin(place, self.response.headers["Location"])
        raise Unavailable(f"more than {REDIRECTIONS} redirections")

    def read(self) -> bytes:
        """Return the next bytes of the body, none at its end."""
        chunk = self.response.raw.read1(CHUNK, decode_content=False)
        self.received += len(chunk)
        return chunk

    @contextmanager
    def awaited(self) -> Iterator[None]:
        """Hold up ``end`` until the block is left: the next attempt writes the same file.

        Raises Transient if the request has ended already.
        """
        with self.lock:
            if self.ended:
                raise Transient("nobody waits for it")
            yield

    def close(self) -> None:
        """Close the connection, from its own thread."""
        if self.response is not None:
            self.response.close()

    def end(self) -> None:
        """Cut the connection, from another thread."""
        with self.lock:
            self.ended = True
        if self.response is not None:
            with suppress(OSError, RuntimeError, ValueError):  # it is read to its end, or gone
                self.response.raw.shutdown()


def watched(patience: Patience, work: Callable[..., T], *given: object) -> T:
    """Return what ``work`` returns in a thread of its own; Transient if that gets too slow.

    A thread that is given up ends at its next byte, at the end of the process at the latest.
    """
    request = Request(patience.timeout)
    future: Future[T] = Future()

    def run() -> None:
        """Do the work; hand on what it returns or raises."""
        try:
            future.set_result(work(request, *given))
        except BaseException as error:
            future.set_exception(error)
        finally:
            request.close()

    threading.Thread(target=run, name="download", daemon=True).start()
    least = LEAST_SPEED * patience.timeout
    before = 0
    try:
        while not wait([future], patience.timeout).done:
            came = request.received - before
            if came < least:
                problem = f"{came:,} bytes came within {patience.timeout:g} s"
                raise Transient(f"{problem}, fewer than {least:,.0f}")
            before = request.received
        return future.result()
    except (requests.ConnectionError, requests.Timeout, urllib3.exceptions.HTTPError) as error:
        raise Transient(f"the connection failed ({type(error).__name__})") from error
    except (requests.RequestException, ValueError) as error:
        raise Unavailable(" ".join(str(error).split())) from error
    finally:
        request.end()


def retrying(patience: Patience) -> Retrying:
    """Return the retry policy: exponential waits, never shorter than the server asks for."""
    backoff = wait_exponential(patience.first, patience.longest)
    return Retrying(
        stop=stop_after_attempt(patience.attempts),
        wait=lambda state: max(backoff(state), state.outcome.exception().wait),
        reraise=True,
        retry=retry_if_exception_type(Transient),
    )


def refusal(response: requests.Response, patience: Patience) -> Unavailable:
    """Return an error status as Transient, or as Unavailable if waiting does not help."""
    reason = f"HTTP {response.status_code}"
    if response.status_code == 429:
        reason += " (too many requests)"
    if response.status_code not in TRANSIENT:
        return Unavailable(reason)
    # ASSUME: a date in Retry-After is ignored; our own back-off then decides.
    seconds = number(response.headers.get("Retry-After", "")) or 0
    if seconds > patience.longest:
        request = f"the server asks to wait {seconds} s, longer than {patience.longest:.0f} s"
        return Unavailable(f"{reason}; {request}")
    return Transient(reason, seconds)


def number(text: str) -> int | None:
    """Return the number that a header states, None for none and for one beyond reason."""
    return int(text) if re.fullmatch("[0-9]{1,18}", text) else None
