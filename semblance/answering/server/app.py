"""The web application: one page, and a JSON interface that the page itself uses."""

from collections.abc import Callable
from dataclasses import dataclass

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from semblance.answering.answerer import Answered, Answerer
from semblance.answering.server.asked import Asked, chosen_of, of_address, of_body
from semblance.answering.server.guard import Guard, OwnHost, log_to_stderr, refuse_other_sites
from semblance.answering.server.limits import QueueFull, TokenBucket, Worker
from semblance.answering.server.page import build_page
from semblance.answering.server.question_log import QuestionLog
from semblance.answering.shown import as_json
from semblance.errors import InputError

RATE = 100.0  # questions a second, of all clients together
BURST = 200
QUEUE = 64  # questions that wait for the model
RETRY = {"retry-after": "1"}  # seconds
CLOSE = {"connection": "close"}  # after a body that was not read to its end


@dataclass(frozen=True)
class Limits:
    """How much the server takes on: questions a second, at once, and waiting for the model."""

    rate: float = RATE
    burst: int = BURST
    queue: int = QUEUE


class Service:
    """The answerer behind its limits, and the log of questions if there is one."""

    def __init__(self, answerer: Answerer, log: QuestionLog | None, limits: Limits):
        self.answerer = answerer
        self.log = log
        self.bucket = TokenBucket(limits.rate, limits.burst)
        self.worker = Worker(limits.queue)
        self.ids = {entry.id for entry in answerer.stored.entries}
        self.page, self.policy = build_page(len(self.ids), logged=log is not None)
        self.stopping = False

    async def show(self, request: Request) -> Response:
        """Give the page."""
        headers = {"content-security-policy": self.policy}
        return Response(self.page, media_type="text/html", headers=headers)

    async def ask(self, request: Request) -> Response:
        """Answer a question, as JSON."""
        self._admit(request)
        if request.method == "POST":
            asked = await of_body(request)
        else:
            asked = of_address(request)
        answered = await self.worker.run(self._answer, asked)
        return JSONResponse(as_json(answered))

    def _answer(self, asked: Asked) -> Answered:
        """Answer in the model's thread, and note what was not merely typed on the way."""
        answered = self.answerer.ask(asked.question, asked.count)
        if self.log is not None and not asked.draft:
            self.log.asked(answered)
        return answered

    async def choose(self, request: Request) -> Response:
        """Note which entry answered a question; 404 without a log or such an entry."""
        self._admit(request)
        chosen = await chosen_of(request)
        if self.log is None or chosen.id not in self.ids:
            raise HTTPException(404, "no log of questions, or no such entry")
        await self.worker.run(self.log.chosen, chosen.question, chosen.id)
        return JSONResponse({"noted": True})

    def _admit(self, request: Request) -> None:
        """Raise HTTPException for a request from another site, and for one too many."""
        refuse_other_sites(request)
        if not self.bucket.take():
            raise HTTPException(429, "too many questions a second", headers=RETRY)


def build_app(service: Service, log: Callable[[str], None] = log_to_stderr) -> Starlette:
    """Return the ASGI application of a service; ``log`` writes a line of the access log."""
    routes = [
        Route("/", service.show),
        Route("/api/ask", service.ask, methods=["GET", "POST"]),
        Route("/api/chosen", service.choose, methods=["POST"]),
    ]
    guard = Middleware(Guard, is_stopping=lambda: service.stopping, log=log)
    handlers = {InputError: _refuse, HTTPException: _fail, QueueFull: _wait}
    return Starlette(
        routes=routes, middleware=[guard, Middleware(OwnHost)], exception_handlers=handlers
    )


async def _refuse(request: Request, error: InputError) -> Response:
    return JSONResponse({"error": str(error)}, 400)


async def _fail(request: Request, error: HTTPException) -> Response:
    headers = dict(error.headers or {})
    if error.status_code in (408, 413):
        headers |= CLOSE
    return JSONResponse({"error": error.detail}, error.status_code, headers)


async def _wait(request: Request, error: QueueFull) -> Response:
    problem = {"error": "too many questions wait for the model"}
    return JSONResponse(problem, 503, RETRY)
