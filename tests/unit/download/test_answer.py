"""Servers that answer too slowly, for ever, or with a redirection to nowhere."""

import gzip
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from semblance.download import answer
from semblance.download.address import ask_address
from semblance.download.answer import Patience, Unavailable
from semblance.download.hub_api import Repository, ask_listing
from semblance.download.pin import Pin
from semblance.download.transfer import Transfer, fetch_file
from semblance.download.wanted import Hub
from semblance.errors import InputError

ONCE = Patience(attempts=1, first=0.01, timeout=0.4)
TWICE = Patience(attempts=2, first=0.01, timeout=0.4)
HEAD = b"HTTP/1.1 200 OK\r\n"
UNPINNED = Pin(None, None)
Talk = Callable[[socket.socket, str], None]


@pytest.fixture
def serve() -> Iterator[Callable[[Talk], str]]:
    """Return a function that starts a server and returns its address.

    The server answers each connection by ``talk(connection, request)``; then it closes it.
    """
    ended = threading.Event()
    listeners = []

    def start(talk: Talk) -> str:
        listener = socket.create_server(("127.0.0.1", 0))
        listeners.append(listener)
        threading.Thread(target=accept, args=(listener, talk), daemon=True).start()
        return f"http://127.0.0.1:{listener.getsockname()[1]}"

    def accept(listener: socket.socket, talk: Talk) -> None:
        while not ended.is_set():
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve_one, args=(connection, talk), daemon=True).start()

    def serve_one(connection: socket.socket, talk: Talk) -> None:
        with connection:
            try:
                talk(connection, connection.recv(65536).decode())
            except OSError:
                return  # the client has left

    yield start
    ended.set()
    for listener in listeners:
        listener.close()


def drip(connection: socket.socket, content: bytes, seconds: float = 0.05) -> None:
    """Send a content one byte at a time, for ever."""
    while True:
        for byte in content:
            connection.sendall(bytes([byte]))
            time.sleep(seconds)


def never(connection: socket.socket, request: str) -> None:
    """Send nothing."""
    time.sleep(3)


def slow_headers(connection: socket.socket, request: str) -> None:
    """Send one byte of a header at a time, for ever."""
    connection.sendall(HEAD + b"X: ")
    drip(connection, b"a")


def endless_headers(connection: socket.socket, request: str) -> None:
    """Announce the answer for ever."""
    while True:
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)


def slow_body(connection: socket.socket, request: str) -> None:
    """Send one byte of the content at a time, for ever."""
    connection.sendall(HEAD + b"Content-Length: 100000\r\n\r\n")
    drip(connection, b"a")


def slow_chunk(connection: socket.socket, request: str) -> None:
    """Send the size of a first chunk one digit at a time, for ever."""
    connection.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
    drip(connection, b"0")


@pytest.fixture
def low_speed(monkeypatch):
    """Ask for 1,000 bytes a second, so that a busy machine reaches it; `drip` sends 20."""
    monkeypatch.setattr(answer, "LEAST_SPEED", 1000)


def fetch(url: str, target, patience: Patience = ONCE) -> None:
    fetch_file(url, target, UNPINNED, Transfer(patience, progress=False))


@pytest.mark.parametrize(
    "talk, reason",
    [
        (never, "its headers were not there within 0.4 s"),
        (slow_headers, "its headers were not there within 0.4 s"),
        (endless_headers, "its headers were not there within 0.4 s"),
        (slow_body, "bytes a second, fewer than 1,000"),
        (slow_chunk, "nothing more came within 0.4 s"),
    ],
)
def test_a_server_that_is_too_slow_is_given_up(serve, tmp_path, low_speed, talk, reason):
    started = time.monotonic()
    with pytest.raises(Unavailable, match=reason):
        fetch(serve(talk), tmp_path / "file")
    assert time.monotonic() - started < 2.5


@pytest.mark.parametrize("talk", [never, slow_headers, endless_headers])
def test_a_question_to_a_server_that_is_too_slow_is_given_up(serve, talk):
    started = time.monotonic()
    with pytest.raises(Unavailable):
        ask_address(serve(talk), ONCE)
    assert time.monotonic() - started < 2.5


@pytest.mark.parametrize("talk", [slow_headers, endless_headers, slow_body, slow_chunk])
def test_a_hub_that_is_too_slow_is_given_up_in_one_line(serve, low_speed, talk):
    repository = Repository("someone/some-model", "0" * 40, Hub(serve(talk)))
    started = time.monotonic()
    with pytest.raises(InputError, match="the hub does not answer") as caught:
        ask_listing(repository, ONCE)
    assert time.monotonic() - started < 2.5 and "\n" not in str(caught.value)


def test_a_steady_server_above_the_least_speed_is_waited_for(serve, tmp_path, low_speed):
    """It sends 200 bytes each 10 ms for longer than two timeouts."""
    content = bytes(24_000)

    def talk(connection: socket.socket, request: str) -> None:
        connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(content))
        for start in range(0, len(content), 200):
            connection.sendall(content[start : start + 200])
            time.sleep(0.01)

    started = time.monotonic()
    fetch(serve(talk), tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == content
    assert time.monotonic() - started > 2 * ONCE.timeout


def test_the_next_attempt_continues_after_a_slow_one(serve, tmp_path, low_speed):
    content = bytes(range(256)) * 400
    given = 40_000  # bytes that come quickly, before the server gets slow

    def talk(connection: socket.socket, request: str) -> None:
        if "Range: bytes=" in request:
            start = int(request.partition("Range: bytes=")[2].partition("-")[0])
            rest = content[start:]
            stated = f"Content-Range: bytes {start}-{len(content) - 1}/{len(content)}\r\n"
            connection.sendall(b"HTTP/1.1 206 Partial Content\r\n" + stated.encode())
            connection.sendall(b"Content-Length: %d\r\n\r\n" % len(rest) + rest)
            return
        connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(content))
        connection.sendall(content[:given])
        drip(connection, content[given:])

    fetch(serve(talk), tmp_path / "file", TWICE)
    assert (tmp_path / "file").read_bytes() == content


@pytest.mark.parametrize("location", ["http://[", "http://a:b/", "http://a:99999999/", "ftp://a/"])
def test_a_redirection_to_what_is_no_address_is_refused(serve, tmp_path, location):
    def talk(connection: socket.socket, request: str) -> None:
        connection.sendall(b"HTTP/1.1 302 Found\r\nLocation: " + location.encode() + b"\r\n\r\n")

    with pytest.raises(Unavailable) as caught:
        fetch(serve(talk), tmp_path / "file")
    assert "\n" not in str(caught.value)


def test_the_endless_body_of_a_redirection_is_not_read(serve, tmp_path):
    def talk(connection: socket.socket, request: str) -> None:
        if "GET /new " in request:
            connection.sendall(HEAD + b"Content-Length: 2\r\n\r\nok")
            return
        connection.sendall(b"HTTP/1.1 302 Found\r\nLocation: /new\r\n\r\n")
        while True:
            connection.sendall(bytes(65536))

    fetch(serve(talk), tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == b"ok"


def packed(content: bytes) -> Talk:
    """Return what sends a content as gzip although nobody has asked for it."""

    def talk(connection: socket.socket, request: str) -> None:
        stated = b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(content)
        connection.sendall(HEAD + stated + content)

    return talk


def test_a_body_that_cannot_be_unpacked_is_refused_in_one_line(serve, tmp_path):
    with pytest.raises(Unavailable, match="cannot be unpacked") as caught:
        fetch(serve(packed(b"no gzip at all")), tmp_path / "file")
    assert "\n" not in str(caught.value)


def test_a_body_that_unpacks_to_more_than_the_pinned_size_is_stopped(serve, tmp_path):
    url = serve(packed(gzip.compress(bytes(50_000_000))))
    with pytest.raises(Unavailable, match="longer than 10 bytes"):
        fetch_file(url, tmp_path / "file", Pin("0" * 64, 10), Transfer(ONCE, progress=False))
    assert (tmp_path / "file.part").stat().st_size <= 10 + answer.CHUNK


@pytest.mark.parametrize("talk", [slow_body, slow_chunk])
def test_the_thread_of_an_answer_that_was_given_up_ends(serve, tmp_path, low_speed, talk):
    """The server sends on: only the client can end it."""
    before = set(threading.enumerate())
    with pytest.raises(Unavailable):
        fetch(serve(talk), tmp_path / "file")
    asking = [t for t in threading.enumerate() if t not in before and "_ask" in t.name]
    for thread in asking:
        thread.join(2)
    assert not [thread for thread in asking if thread.is_alive()]
