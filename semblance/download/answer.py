"""One answer of a web server, within limits: of time for its headers, of speed, of redirections.

The timeouts of the HTTP libraries bound each read alone. A server that sends one byte a second, or
`100 Continue` for ever, is never late for them. So the stream below them is watched.
"""

import http.client
import io
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import urljoin, urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool

from semblance.download.patience import Patience, Transient, Unavailable

# At less than this the weights of BERT-base (440 MB) would take more than half a day. A new attempt,
# perhaps to a faster server, continues where the old one stopped.
LEAST_SPEED = 10_000  # bytes a second
WINDOW = 2  # timeouts, so a minute: the waiting time over which the speed is measured
REDIRECTIONS = 5  # followed at most
PORTS = {"http": 80, "https": 443}
BROKEN_CONNECTION = (
    requests.ConnectionError,
    requests.Timeout,
    requests.exceptions.ChunkedEncodingError,
)


class TooSlow(TimeoutError):
    """A server does not keep to the limits; the text says to which."""


@contextmanager
def open_answer(
    method: str,
    url: str,
    patience: Patience,
    headers: Mapping[str, str] | None = None,
    last: str = "",
) -> Iterator[requests.Response]:
    """Yield the answer of an address: its headers are there, its body is still to be read.

    Redirections are followed, but not from an answer that has the header ``last``. The header
    ``Authorization`` goes to the server of ``url`` alone. Raises Unavailable, or Transient if
    asking again may help; also for a connection that fails while the body is read.
    """
    try:
        with (
            _Session() as session,
            _follow(session, method, url, patience, headers or {}, last) as response,
        ):
            yield response
    except BROKEN_CONNECTION as error:
        raise Transient(_reason(error)) from error
    except requests.RequestException as error:
        raise Unavailable(str(error)) from error


def _follow(
    session: requests.Session,
    method: str,
    url: str,
    patience: Patience,
    headers: Mapping[str, str],
    last: str,
) -> requests.Response:
    """Return the answer at the end of the redirections."""
    place = url
    for _ in range(REDIRECTIONS + 1):
        response = session.request(
            method,
            place,
            headers=_for_server(headers, url, place),
            stream=True,
            timeout=patience.timeout,
        )
        if not response.is_redirect or last in response.headers:
            return response
        response.close()
        place = _target(place, response.headers["Location"])
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


def _for_server(headers: Mapping[str, str], url: str, place: str) -> dict[str, str]:
    """Return the headers for a place on the way from ``url``: the token for the first server alone."""
    if server_of(place) == server_of(url):
        return dict(headers)
    return {name: text for name, text in headers.items() if name.lower() != "authorization"}


def _reason(error: BaseException) -> str:
    """Return why a connection failed: that it was too slow, or the library's name for it."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, TooSlow):
            return str(cause)
        cause = cause.__context__
    return f"the connection failed ({type(error).__name__})"


# --- the watched stream ---------------------------------------------------------------------------


class _Watched(io.RawIOBase):
    """The bytes of one answer as they arrive; raises TooSlow.

    The timeout of the connection is the limit for the headers, and for each silence after them.
    """

    def __init__(self, stream: io.RawIOBase, connection: socket.socket):
        self.stream = stream
        self.connection = connection
        self.timeout = connection.gettimeout() or Patience.timeout
        self.in_headers = True
        self.deadline = time.monotonic() + self.timeout  # of the headers
        self.waited = 0.0  # seconds for the server, since the last look at the speed
        self.received = 0  # bytes, in this time

    def readable(self) -> bool:
        """Return that bytes can be read."""
        return True

    def readinto(self, buffer: memoryview) -> int:
        """Read what there is; wait for the first byte of it."""
        self._check()
        began = time.monotonic()
        try:
            count = self.stream.readinto(buffer) or 0
        except TimeoutError:
            raise self._silence() from None
        self.waited += time.monotonic() - began
        self.received += count
        return count

    def end_headers(self) -> None:
        """Watch the speed from here on."""
        self.in_headers = False
        self.connection.settimeout(self.timeout)
        self.waited = 0.0
        self.received = 0

    def close(self) -> None:
        """Close the stream below, too."""
        self.stream.close()
        super().close()

    def _silence(self) -> TooSlow:
        what = "nothing more came"
        if self.in_headers:
            what = "its headers were not there"
        return TooSlow(f"{what} within {self.timeout:g} s")

    def _check(self) -> None:
        """Raise TooSlow if the limit for the headers, or the least speed, is not kept."""
        if self.in_headers:
            left = self.deadline - time.monotonic()
            if left <= 0:
                raise self._silence()
            self.connection.settimeout(left)
        elif self.waited >= WINDOW * self.timeout:
            if self.received < LEAST_SPEED * self.waited:
                speed = self.received / self.waited
                raise TooSlow(f"{speed:,.0f} bytes a second, fewer than {LEAST_SPEED:,}")
            self.waited = 0.0
            self.received = 0


class _Answer(http.client.HTTPResponse):
    """An answer whose bytes are watched."""

    def __init__(self, sock: socket.socket, *args, **kwargs):
        super().__init__(sock, *args, **kwargs)
        self.watched = _Watched(self.fp.detach(), sock)
        self.fp = io.BufferedReader(self.watched)

    def begin(self) -> None:
        """Read the headers."""
        super().begin()
        self.watched.end_headers()


class _Connection(HTTPConnection):
    response_class = _Answer


class _SecureConnection(HTTPSConnection):
    response_class = _Answer


class _Session(requests.Session):
    """Watches answers, and follows no redirection: requests would read its whole body."""

    def __init__(self) -> None:
        super().__init__()
        self.mount("http://", _Adapter())
        self.mount("https://", _Adapter())

    def get_redirect_target(self, resp: requests.Response) -> None:
        """Return that there is nothing to follow."""
        return None


class _Adapter(HTTPAdapter):
    """Connects so that answers are watched."""

    def get_connection_with_tls_context(self, *args, **kwargs) -> HTTPConnectionPool:
        """Return the pool of connections for a request."""
        pool = super().get_connection_with_tls_context(*args, **kwargs)
        pool.ConnectionCls = _Connection
        if pool.scheme == "https":
            pool.ConnectionCls = _SecureConnection
        return pool
