"""What stands around every request: the headers of each answer, and one line of the access log.

The access log names route, status and time. It never holds an address as it came, since a question
is part of it.
"""

import sys
import time
from collections.abc import Callable

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
NOTHING = "default-src 'none'; frame-ancestors 'none'"  # the policy of an answer that is no page
HOSTS = ("127.0.0.1", "localhost")
ROUTES = ("/", "/api/ask", "/api/chosen")
METHODS = ("GET", "HEAD", "POST")


def log_to_stderr(line: str) -> None:
    """Write a line of the access log."""
    print(line, file=sys.stderr, flush=True)


class Guard:
    """Middleware that adds the headers and writes the access log.

    ``is_stopping`` tells whether the server stops: then each answer closes its connection, so that
    the client asks no more on it.
    """

    def __init__(self, app: ASGIApp, is_stopping: Callable[[], bool], log: Callable[[str], None]):
        self.app = app
        self.is_stopping = is_stopping
        self.log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and its answer back."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = time.perf_counter()
        statuses = [500]

        async def send_guarded(message: Message) -> None:
            """Add the headers to the start of an answer."""
            if message["type"] == "http.response.start":
                statuses.append(message["status"])
                self._add_headers(MutableHeaders(scope=message))
            await send(message)

        try:
            await self.app(scope, receive, send_guarded)
        finally:
            milliseconds = (time.perf_counter() - started) * 1000
            self.log(f"{_named(scope)} {statuses[-1]} {milliseconds:.0f} ms")

    def _add_headers(self, headers: MutableHeaders) -> None:
        for name, value in HEADERS.items():
            headers[name] = value
        headers.setdefault("content-security-policy", NOTHING)
        if self.is_stopping():
            headers["connection"] = "close"


def _named(scope: Scope) -> str:
    """Return time, method and route of a request; whatever is not known is named so."""
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    method = scope["method"]
    if method not in METHODS:
        method = "other"
    route = scope["path"]
    if route not in ROUTES:
        route = "elsewhere"
    return f"{when} {method} {route}"


def refuse_other_sites(request: Request) -> None:
    """Raise HTTPException 403 for a request that a page of another site has sent.

    Browsers say so in a header that no page can change. The answer would be hidden from that page
    anyway; this keeps it from making the model work.
    """
    site = request.headers.get("sec-fetch-site", "none")
    if site not in ("same-origin", "none"):
        raise HTTPException(403, "only this server's own page may ask")
