"""The web application: one page, the JSON interface that it uses, and how a request is read."""

import asyncio
import base64
import hashlib
import html
import re
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from semblance.counts import counted
from semblance.errors import InputError
from semblance.layout import RECORD
from semblance.strict_json import parse_strict
from semblance_faq.answer.answerer import Answered, Answerer, checked_question
from semblance_faq.answer.output import as_json
from semblance_faq.serve.log import ASKED, NONE, REFUSED, QuestionLog

MOST_BODY = 16 << 10  # bytes
BODY_SECONDS = 10.0  # in which a body must have come
CALLED = {str: "text", int: "whole number", bool: "truth value"}
COUNT = re.compile("[0-9]{1,9}")
FLAGS = {"1": True, "true": True, "0": False, "false": False}


@dataclass(frozen=True)
class AskedQuestion:
    """A question and how many answers are wanted.

    A ``draft`` is not noted as asked; with ``none`` it is noted that no answer was right.
    """

    question: str
    count: int = 5
    draft: bool = False
    none: bool = False

    @classmethod
    def of(cls, values: Any, where: str, name: str) -> "AskedQuestion":
        """Return what was asked; InputError for the first value that is none.

        ``name`` is how the client calls the question.
        """
        kinds = {name: str, "count": int, "draft": bool, "none": bool}
        if not isinstance(values, dict):
            raise InputError(where, "no JSON object", f"send one with {name}")
        known = f"known are {', '.join(kinds)}"
        for key, value in values.items():
            if key not in kinds:
                raise InputError(where, f"{key!r:.40} is not known", known)
            if key == "count" and type(value) is float and value.is_integer():
                values[key] = value = int(value)  # JSON has one kind of number: 5.0 is 5
            if type(value) is not kinds[key]:
                raise InputError(f"{where}.{key}", f"is no {CALLED[kinds[key]]}", known)
        question = checked_question(values.get(name, ""), f"{where}.{name}")
        return cls(question, **{key: values[key] for key in values if key != name})


def of_address(request: Request) -> AskedQuestion:
    """Read ``?q=…&count=…&draft=1&none=1``; InputError for anything else.

    Starlette alone would put a replacement character in place of what is not UTF-8.
    """
    try:
        query = request.scope["query_string"].decode("utf-8")
        parameters = parse_qsl(query, keep_blank_values=True, errors="strict")
    except UnicodeDecodeError as error:
        raise InputError("address", f"not UTF-8: {error.reason}", "send UTF-8") from None
    given = {name: _plain(name, value) for name, value in parameters}
    if len(given) < len(parameters):
        raise InputError("address", "a parameter stands twice", "give it once")
    return AskedQuestion.of(given, "address", "q")


def _plain(name: str, text: str) -> str | int | bool:
    """Return the number or the truth value that a parameter stands for, or else its text."""
    if name == "count" and COUNT.fullmatch(text):
        return int(text)
    return text if name == "q" else FLAGS.get(text, text)


async def of_body(request: Request) -> AskedQuestion:
    """Read a JSON body: question, and if wanted count, draft and none.

    Raises HTTPException 415 for another type, 413 for a long body and 408 for a slow one, and
    InputError for one that is no JSON in UTF-8.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise HTTPException(415, "send application/json")
    content = b""
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for part in request.stream():
                content += part
                if len(content) > MOST_BODY:
                    raise HTTPException(413, f"a body of more than {MOST_BODY:,} bytes")
        values = parse_strict(content.decode("utf-8"))
    except TimeoutError:
        raise HTTPException(408, f"the body did not come within {BODY_SECONDS:.0f} s") from None
    except ClientDisconnect:
        raise HTTPException(400, "the body is not whole") from None
    except ValueError as error:  # of JSON or of UTF-8
        raise InputError("body", f"not JSON: {error}", "send one object in UTF-8") from None
    return AskedQuestion.of(values, "body", "question")


HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
NOTHING = "default-src 'none'; frame-ancestors 'none'"  # the policy of an answer that is no page
HOSTS = ("127.0.0.1", "localhost")
ROUTES = ("/", "/api/ask", "/health", "/openapi.json")
METHODS = ("GET", "HEAD", "POST")
HERE = Path(__file__).parent
CLOSE = {"connection": "close"}  # after a body that was not read to its end


class Service:
    """The answerer, one thread that does all its work, and the log of questions if there is one."""

    def __init__(self, answerer: Answerer, log: QuestionLog | None, title: str, contact: str = ""):
        self.log = log
        self.title = title
        self.contact = contact
        self.pool = ThreadPoolExecutor(1, thread_name_prefix="model")
        self.stopping = False
        self.written = _written(answerer)
        self._use(answerer)

    def _use(self, answerer: Answerer) -> None:
        self.answerer = answerer
        self.entries = len(answerer.stored.entries)
        texts = {"title": self.title, "contact": self.contact}
        self.page, self.policy = build_page(self.entries, self.log is not None, texts)

    def _use_newer(self) -> None:
        """Load a folder that was written again; of one that is not whole the answerer before stays."""
        written = _written(self.answerer)
        if written in (None, self.written):
            return
        self.written = written  # of before the load: what is written meanwhile is loaded next
        try:
            self._use(Answerer.open(self.answerer.stored.folder))
        except (InputError, OSError) as error:
            log_to_stderr(f"warning: not loaded: {error}; the entries of before are served on")

    async def show(self, request: Request) -> Response:
        """Give the page."""
        headers = {"content-security-policy": self.policy}
        return Response(self.page, media_type="text/html", headers=headers)

    async def health(self, request: Request) -> Response:
        """Say that questions are answered, and from how many entries."""
        return JSONResponse({"status": "ok", "entries": self.entries})

    async def describe(self, request: Request) -> Response:
        """Give the description of the interface, OpenAPI 3.1."""
        return FileResponse(HERE / "openapi.json")

    async def ask(self, request: Request) -> Response:
        """Answer a question, as JSON."""
        refuse_other_sites(request)
        if request.method == "POST":
            question = await of_body(request)
        else:
            question = of_address(request)
        loop = asyncio.get_running_loop()
        return JSONResponse(as_json(await loop.run_in_executor(self.pool, self._answer, question)))

    def _answer(self, asked: AskedQuestion) -> Answered:
        """Answer in the model's thread, and note what was not merely typed on the way."""
        self._use_newer()
        answered = self.answerer.ask(asked.question, asked.count)
        said = ASKED if answered.given else REFUSED
        kinds = [said] * (not asked.draft) + [NONE] * asked.none
        for kind in kinds if self.log is not None else ():
            self.log.note(kind, answered)
        return answered


def _written(answerer: Answerer) -> list[tuple] | None:
    """Return when each file of an answerer was written, and its size; None while there is no record.

    Whoever copies a folder here writes the record before the vectors, by the order of their names.
    """
    folder = answerer.stored.folder
    try:
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        stats = [(str(path), path.stat()) for path in files]
    except FileNotFoundError:  # it is being written
        return None
    if folder / RECORD not in files:
        return None
    return [(path, found.st_mtime_ns, found.st_size) for path, found in stats]


def build_page(entries: int, logged: bool, texts: Mapping[str, str]) -> tuple[str, str]:
    """Return the page, with its style and script inside, and the policy that allows only these.

    The page holds no text of the FAQ: its script puts answers in as text, never as HTML. ``texts``,
    the title and whom to ask, are put in as text, and nothing in them is taken for a place of the page.
    """
    page, style, script = (
        HERE.joinpath(name).read_text(encoding="utf-8")
        for name in ("page.html", "page.css", "page.js")
    )
    values = {name: html.escape(text) for name, text in texts.items()}
    values |= {"entries": counted(entries, "entry", "entries"), "logged": str(logged).lower()}
    values |= {"style": style, "script": script}
    page = re.sub(r"\{\{(\w+)\}\}", lambda place: values[place[1]], page)
    policy = (
        f"default-src 'none'; script-src {_digest_of(script)}; style-src {_digest_of(style)}; "
        "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )
    return page, policy


def _digest_of(text: str) -> str:
    """Return the source expression of an inline element: the digest of all between its tags."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


class Guard:
    """Middleware that adds the headers and writes the access log.

    A line names route, status and time. It never holds an address as it came, since a question is
    part of it. ``is_stopping`` tells whether the server stops: then each answer closes its connection, so that
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
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("content-security-policy", NOTHING)
                if self.is_stopping():
                    headers["connection"] = "close"
            await send(message)

        app = self.app
        if {b"content-length", b"transfer-encoding"} <= {name for name, _ in scope["headers"]}:
            app = JSONResponse({"error": "two lengths of the body"}, 400, CLOSE)
        try:
            await app(scope, receive, send_guarded)
        finally:
            milliseconds = (time.perf_counter() - started) * 1000
            when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
            method = scope["method"] if scope["method"] in METHODS else "other"
            route = scope["path"] if scope["path"] in ROUTES else "elsewhere"
            self.log(f"{when} {method} {route} {statuses[-1]} {milliseconds:.0f} ms")


def refuse_other_sites(request: Request) -> None:
    """Raise HTTPException 403 for a request that a page of another site has sent.

    Browsers say so in a header that no page can change. The answer would be hidden from that page
    anyway; this keeps it from making the model work.
    """
    site = request.headers.get("sec-fetch-site", "none")
    origin = request.headers.get("origin")  # all that an older browser says
    if origin is not None and origin.partition("//")[2] != request.headers["host"]:
        site = "cross-site"
    if site not in ("same-origin", "none"):
        raise HTTPException(403, "only this server's own page may ask")


def log_to_stderr(line: str) -> None:
    """Write a line of the access log."""
    print(line, file=sys.stderr, flush=True)


def build_app(service: Service, log: Callable[[str], None] = log_to_stderr) -> Starlette:
    """Return the ASGI application of a service; ``log`` writes a line of the access log."""
    routes = [
        Route("/", service.show),
        Route("/api/ask", service.ask, methods=["GET", "POST"]),
        Route("/health", service.health),
        Route("/openapi.json", service.describe),
    ]
    middleware = [
        Middleware(Guard, is_stopping=lambda: service.stopping, log=log),
        # A page that reached us by another name has made that name lead to this machine.
        Middleware(TrustedHostMiddleware, allowed_hosts=HOSTS, www_redirect=False),
    ]
    handlers = {InputError: _refuse, HTTPException: _fail}
    return Starlette(routes=routes, middleware=middleware, exception_handlers=handlers)


async def _refuse(request: Request, error: InputError) -> Response:
    return JSONResponse({"error": str(error)}, 400)


async def _fail(request: Request, error: HTTPException) -> Response:
    headers = dict(error.headers or {})
    if error.status_code in (408, 413):
        headers |= CLOSE
    return JSONResponse({"error": error.detail}, error.status_code, headers)
