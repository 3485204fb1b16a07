"""One address: what a server states of it, and servers that are slow, endless or hostile."""

import gzip
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import SimpleNamespace

import pytest

from semblance.errors import InputError
from semblance.fetch import web
from semblance.fetch.download import _Download, fetch_file
from semblance.fetch.hub import Repository, ask_listing
from semblance.fetch.manifest import Pin
from semblance.fetch.wanted import Hub
from semblance.fetch.web import (
    Patience,
    Request,
    Transient,
    Unavailable,
    ask_address,
    watched,
)
from tests.local_http import Fault, blob_name
from tests.unit.fetch.examples import COMMIT, CONTENT, QUICK, REPO, sha

PATH = f"/some/data/resolve/{COMMIT}/file"
ONCE = Patience(attempts=1, first=0.01, timeout=0.4)
TWICE = Patience(attempts=2, first=0.01, timeout=0.4)
OK = b"HTTP/1.1 200 OK\r\n"
Talk = Callable[[socket.socket, str], None]


def test_an_ordinary_server_states_the_size_and_its_etag_is_no_digest(server):
    url = server.serve("/f", CONTENT, headers={"ETag": f'"{"0" * 40}"'})
    assert ask_address(url, QUICK) == Pin(None, len(CONTENT))
    assert server.seen == [("HEAD", "/f", None)]  # nothing is downloaded


def test_a_hub_states_the_sha256_of_a_large_file_and_its_storage_is_not_requested(server):
    server.serve_large(PATH, COMMIT, CONTENT)
    expected = Pin(sha(CONTENT), len(CONTENT))
    assert ask_address(server.url + PATH, QUICK) == expected
    assert [seen[1] for seen in server.seen] == [PATH]


def test_a_hub_states_the_git_blob_of_a_small_file(server):
    headers = {"X-Repo-Commit": COMMIT, "ETag": f'"{blob_name(CONTENT)}"'}
    url = server.serve(PATH, CONTENT, headers=headers)
    assert ask_address(url, QUICK) == Pin(None, len(CONTENT), blob_name(CONTENT))


def test_a_hub_that_answers_with_another_commit_is_refused(server):
    server.serve_large(PATH, "f" * 40, CONTENT)
    with pytest.raises(Unavailable, match=f"revision {'f' * 40}"):
        ask_address(server.url + PATH, QUICK)


def test_a_redirection_is_followed_but_not_for_ever(server):
    server.serve("/new", CONTENT)
    url = server.serve("/old", b"moved", location="/new")
    assert ask_address(url, QUICK).size == len(CONTENT)
    with pytest.raises(Unavailable, match="more than 5 redirections"):
        ask_address(server.serve("/f", b"moved", location="/f"), QUICK)


@pytest.mark.parametrize("status", [403, 405, 501])
def test_a_server_that_answers_no_head_is_asked_for_one_byte(server, status):
    url = server.serve("/f", CONTENT)
    server.faults["/f"] = [Fault(status=status)]
    assert ask_address(url, QUICK).size == len(CONTENT)
    assert server.seen == [("HEAD", "/f", None), ("GET", "/f", "bytes=0-0")]


def test_a_busy_server_is_asked_again_and_one_without_the_file_is_not(server):
    url = server.serve("/f", CONTENT)
    server.faults["/f"] = [Fault(status=503)]
    assert ask_address(url, QUICK).size == len(CONTENT)
    with pytest.raises(Unavailable, match="HTTP 404"):
        ask_address(server.url + "/gone", QUICK)
    assert server.count("/gone", "HEAD") == 1


# Hostile servers


@pytest.fixture
def serve() -> Iterator[Callable[[Talk], str]]:
    """Return a function that starts a server and returns its address.

    The server answers each connection by ``talk(connection, request)``; then it closes it. At the
    end all connections are closed, or their threads would run on at the same time as later tests.
    """
    sockets = []

    def start(talk: Talk) -> str:
        listener = socket.create_server(("127.0.0.1", 0))
        sockets.append(listener)
        threading.Thread(target=accept, args=(listener, talk), daemon=True).start()
        return f"http://127.0.0.1:{listener.getsockname()[1]}"

    def accept(listener: socket.socket, talk: Talk) -> None:
        with suppress(OSError):  # the test has ended
            while True:
                connection, _ = listener.accept()
                sockets.append(connection)
                threading.Thread(target=answer, args=(connection, talk), daemon=True).start()

    def answer(connection: socket.socket, talk: Talk) -> None:
        with connection, suppress(OSError):  # the client has left
            talk(connection, connection.recv(65536).decode())

    yield start
    for each in sockets:
        with suppress(OSError):  # it is closed already
            each.shutdown(socket.SHUT_RDWR)  # close alone would not wake the thread that waits


def drip(connection: socket.socket, content: bytes) -> None:
    """Send a content one byte at a time, for ever."""
    while True:
        for byte in content:
            connection.sendall(bytes([byte]))
            time.sleep(0.05)


def never(connection: socket.socket, request: str) -> None:
    """Send nothing."""
    time.sleep(3)


def slowly(start: bytes, content: bytes = b"a") -> Talk:
    """Return what sends a start, and then a content one byte at a time, for ever."""

    def talk(connection: socket.socket, request: str) -> None:
        connection.sendall(OK + start)
        drip(connection, content)

    return talk


def endlessly(start: bytes, content: bytes) -> Talk:
    """Return what sends a start, and then a content as fast as it is read, for ever."""

    def talk(connection: socket.socket, request: str) -> None:
        connection.sendall(start)
        while True:
            connection.sendall(content)

    return talk


def packed(content: bytes) -> Talk:
    """Return what sends a content as gzip although nobody has asked for it."""
    stated = b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(content)
    return lambda connection, request: connection.sendall(OK + stated + content)


def redirect(location: bytes) -> Talk:
    answer = b"HTTP/1.1 302 Found\r\nLocation: " + location + b"\r\n\r\n"
    return lambda connection, request: connection.sendall(answer)


CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"
slow_headers = slowly(b"X: ")
slow_body = slowly(b"\r\n")
slow_chunk = slowly(CHUNKED, b"0")  # the size of a first chunk, one digit at a time
endless_headers = endlessly(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 100)
endless_body = endlessly(OK + CHUNKED, b"10000\r\n" + bytes(0x10000) + b"\r\n")


@pytest.fixture
def low_speed(monkeypatch):
    """Require 1,000 bytes a second, so that a busy machine reaches it; `drip` sends 20."""
    monkeypatch.setattr(web, "LEAST_SPEED", 1000)


TOO_SLOW = r"\d+ bytes came within 0.4 s, fewer than 400"
SLOW = {
    "never": never,
    "slow headers": slow_headers,
    "endless headers": endless_headers,
    "slow body": slow_body,
    "slow chunk": slow_chunk,
}
HOSTILE = {
    **{name: (talk, TOO_SLOW) for name, talk in SLOW.items()},
    "endless body": (endless_body, "longer than 10 bytes"),
    "no gzip": (packed(b"no gzip at all"), "it has 14 bytes, expected 10"),
    "gzip of 50 MB": (packed(gzip.compress(bytes(50_000_000))), "bytes, expected 10"),
    "half an IPv6": (redirect(b"http://["), "IPv6"),
    "a port of letters": (redirect(b"http://a:b/"), "[Pp]ort"),
    "a port too large": (redirect(b"http://a:99999999/"), "[Pp]ort"),
    "another scheme": (redirect(b"ftp://a/"), "ftp://a/"),
}


@contextmanager
def refused_soon(kind: type[Exception], problem: str) -> Iterator[None]:
    """Expect an error in one line, within bounds of time."""
    started = time.monotonic()
    with pytest.raises(kind, match=problem) as caught:
        yield
    assert time.monotonic() - started < 2.5 and "\n" not in str(caught.value)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_server_is_refused_in_one_line_within_bounds(serve, tmp_path, low_speed, name):
    talk, problem = HOSTILE[name]
    with refused_soon(Unavailable, problem):
        fetch_file(serve(talk), tmp_path / "file", Pin("0" * 64, 10), ONCE)
    part = tmp_path / "file.part"
    assert not (tmp_path / "file").exists()
    assert not part.exists() or part.stat().st_size <= 10 + web.CHUNK


@pytest.mark.parametrize("name", ["never", "slow headers", "endless headers"])
def test_a_question_to_a_server_that_is_too_slow_is_given_up(serve, name):
    with refused_soon(Unavailable, "bytes came within"):
        ask_address(serve(SLOW[name]), ONCE)


@pytest.mark.parametrize("talk", [endless_headers, slow_body, slow_chunk, endless_body])
def test_a_hub_that_is_too_slow_or_endless_is_given_up(serve, tmp_path, low_speed, talk):
    repository = Repository(REPO, "0" * 40, Hub(serve(talk)))
    with refused_soon(InputError, "the hub does not answer"):
        ask_listing(repository, tmp_path / "lock", ONCE)


def test_an_answer_is_waited_for_as_long_as_it_brings_bytes_at_the_least_speed(
    monkeypatch, low_speed
):
    """A stand-in for the clock: each wait ends at its time limit, with so many bytes more."""
    coming = [400, 400, 400, 399]  # 1,000 bytes a second for 0.4 s are 400
    begun, ended = threading.Event(), threading.Event()
    requests = []

    def work(request: Request) -> None:
        requests.append(request)
        begun.set()
        ended.wait(10)

    def wait(futures: object, timeout: float) -> SimpleNamespace:
        assert begun.wait(10) and timeout == ONCE.timeout
        requests[0].received += coming.pop(0)
        return SimpleNamespace(done=False)

    monkeypatch.setattr(web, "wait", wait)
    with pytest.raises(Transient, match="399 bytes came within 0.4 s, fewer than 400"):
        watched(ONCE, work)
    ended.set()
    assert coming == []


def test_the_next_attempt_continues_after_a_slow_one(serve, tmp_path, low_speed):
    content = bytes(range(256)) * 400
    given = 40_000  # bytes that come quickly, before the server gets slow
    starts = []

    def talk(connection: socket.socket, request: str) -> None:
        if "Range: bytes=" in request:
            start = int(request.partition("Range: bytes=")[2].partition("-")[0])
            starts.append(start)
            rest = content[start:]
            stated = f"Content-Range: bytes {start}-{len(content) - 1}/{len(content)}\r\n"
            connection.sendall(b"HTTP/1.1 206 Partial Content\r\n" + stated.encode())
            connection.sendall(b"Content-Length: %d\r\n\r\n" % len(rest) + rest)
            return
        connection.sendall(OK + b"Content-Length: %d\r\n\r\n" % len(content))
        connection.sendall(content[:given])
        drip(connection, content[given:])

    pin = Pin(sha(content), None)
    fetch_file(serve(talk), tmp_path / "file", pin, TWICE)
    assert (tmp_path / "file").read_bytes() == content and starts[0] >= given


def test_an_attempt_that_was_given_up_leaves_the_part_to_the_next_one(tmp_path):
    """Its thread may be anywhere: before it opens the part, or between two chunks."""
    part = tmp_path / "file.part"
    download = _Download("http://a", part, Pin(), ONCE, {}, most=100)
    sizes = []

    def body(request: Request) -> Iterator[bytes]:
        yield b"first"
        sizes.append(part.stat().st_size)
        yield b"second"
        sizes.append(part.stat().st_size)
        request.end()
        yield b"too late"

    class Answered(Request):
        def open(self, *_: object) -> SimpleNamespace:
            self.chunks = body(self)
            return SimpleNamespace(status_code=200, headers={})

        def read(self) -> bytes:
            return next(self.chunks)

    with pytest.raises(Transient):
        download._receive(Answered(1), 0)
    assert sizes == [5, 11]  # nothing waits in a buffer
    assert part.read_bytes() == b"firstsecond"
    ended = Answered(1)
    ended.end()
    with pytest.raises(Transient):
        download._receive(ended, 0)
    assert part.read_bytes() == b"firstsecond"


def test_the_endless_body_of_a_redirection_is_not_read(serve, tmp_path):
    def talk(connection: socket.socket, request: str) -> None:
        if "GET /new " in request:
            connection.sendall(OK + b"Content-Length: 2\r\n\r\nok")
            return
        connection.sendall(b"HTTP/1.1 302 Found\r\nLocation: /new\r\n\r\n")
        while True:
            connection.sendall(bytes(65536))

    fetch_file(serve(talk), tmp_path / "file", Pin(), ONCE)
    assert (tmp_path / "file").read_bytes() == b"ok"


@pytest.mark.parametrize("talk", [slow_body, slow_chunk])
def test_the_thread_of_an_answer_that_was_given_up_ends(serve, tmp_path, low_speed, talk):
    """The server sends on: only the client can end it."""
    before = set(threading.enumerate())
    with pytest.raises(Unavailable):
        fetch_file(serve(talk), tmp_path / "file", Pin(), ONCE)
    threads = [t for t in threading.enumerate() if t not in before and t.name == "download"]
    for thread in threads:
        thread.join(2)
    assert not [thread for thread in threads if thread.is_alive()]
