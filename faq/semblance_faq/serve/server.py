"""The server's process: one socket on the loopback address, and a stop that loses no question."""

import asyncio
import signal
import socket
from collections.abc import Callable

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from semblance.errors import InputError
from semblance_faq.serve.app import Service, build_app

HOST = "127.0.0.1"
MOST_CONNECTIONS = 256
MOST_HEADERS = 32 << 10  # bytes; a question of 1,000 characters takes 12,000 in an address
HEAD_SECONDS = 10.0  # in which the whole head of a request must have come
GRACE = 0.3  # seconds in which a question that is on its way arrives
STOP_SECONDS = 30  # in which the questions at work are answered
REFUSAL = (
    b"HTTP/1.1 400 Bad Request\r\n"
    b"content-type: text/plain; charset=utf-8\r\nconnection: close\r\n\r\n"
)


class PromptProtocol(H11Protocol):
    """A connection that ends where no whole head of a request comes in time, or no HTTP comes.

    uvicorn alone only closes a connection that is silent after an answer, so that a few hundred
    silent clients would keep all others out. And it closes at once what it refuses: where more of
    the request is on its way then, the kernel resets the connection, and the client may lose the
    answer. Here only our side ends; what still comes is dropped, no longer than a head may take.
    """

    head_timer: asyncio.TimerHandle | None = None
    is_refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Wait for the first request."""
        super().connection_made(transport)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        """Read what comes, unless the connection is refused."""
        if not self.is_refused:
            super().data_received(data)

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP; within a request as uvicorn does."""
        if self._is_answering():
            super().send_400_response(msg)
            return
        self.is_refused = True
        self.transport.write(REFUSAL + msg.encode())
        self.transport.write_eof()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        super().connection_lost(exc)
        if self.head_timer is not None:
            self.head_timer.cancel()

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait_for_head(self) -> None:
        if self.head_timer is not None:
            self.head_timer.cancel()
        self.head_timer = self.loop.call_later(HEAD_SECONDS, self._close_without_request)

    def _close_without_request(self) -> None:
        if not self._is_answering():
            self.transport.close()


class PatientServer(uvicorn.Server):
    """A server that, when it stops, first takes no connection more, and then waits a moment.

    A connection that was accepted just before has not sent its question yet; uvicorn alone would
    close it as idle.
    """

    def __init__(self, config: uvicorn.Config, service: Service):
        super().__init__(config)
        self.service = service

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close the listening socket, wait, answer what came, then end."""
        self.service.stopping = True
        for server in self.servers:
            server.close()
        await asyncio.sleep(GRACE)
        await super().shutdown(sockets)

    def stop(self, *signal_and_frame: object) -> None:
        """Ask the server to stop; it may not have started yet."""
        self.should_exit = True


def listen(port: int) -> socket.socket:
    """Return a socket that listens on the loopback address; InputError where the port is taken."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen()
    except OSError as error:
        listening.close()
        problem = f"cannot be opened: {error.strerror}"
        raise InputError(f"port {port}", problem, "choose another one by --port") from None
    return listening


def serve(service: Service, listening: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until SIGTERM or SIGINT, then answer the questions at work and return.

    ``ready`` is called before the first question is taken. The socket is closed at the end.
    """
    config = uvicorn.Config(
        build_app(service),
        access_log=False,
        log_config=None,
        loop="asyncio",
        http=PromptProtocol,
        ws="none",
        lifespan="off",
        proxy_headers=False,
        server_header=False,
        limit_concurrency=MOST_CONNECTIONS,
        h11_max_incomplete_event_size=MOST_HEADERS,
        timeout_graceful_shutdown=STOP_SECONDS,
    )
    server = PatientServer(config, service)
    # uvicorn raises a signal again when it has ended. These handlers let the process end in order.
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, server.stop)
    ready()
    try:
        server.run(sockets=[listening])
    finally:
        service.pool.shutdown()
        listening.close()
