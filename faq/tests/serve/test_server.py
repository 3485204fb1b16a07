"""The process of the server: how it starts and stops, and requests that are no clean HTTP."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path

import pytest

from semblance.errors import InputError
from semblance_faq.serve.server import HOST, listen

ROOT = Path(__file__).resolve().parents[3]
SECONDS = 0.1  # of one answer


class Server:
    """A running server and its address."""

    def __init__(self, *seconds: float):
        command = [sys.executable, "-m", "faq.tests.serve.slow_server"]
        command += [str(number) for number in seconds]
        options = {"cwd": ROOT, "env": os.environ | {"PYTHONPATH": str(ROOT / "faq")}}
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
        )
        host, _, port = self.process.stdout.readline().strip().partition(":")
        self.address = (host, int(port))

    def ask(self, question: str) -> tuple[int, str]:
        """Ask on a connection of its own; return the status and the question that was answered."""
        connection = HTTPConnection(*self.address, timeout=30)
        body = json.dumps({"question": question})
        connection.request("POST", "/api/ask", body, {"content-type": "application/json"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read()).get("question", "")

    def send(self, content: bytes) -> bytes:
        """Send bytes as they stand; return all that comes back until the server closes."""
        with socket.create_connection(self.address, timeout=10) as connection:
            connection.sendall(content)
            return rest_of(connection)

    def stop(self, name: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal; return the exit status."""
        self.process.send_signal(name)
        return self.process.wait(timeout=30)


def rest_of(connection: socket.socket) -> bytes:
    """Say that nothing more is sent; return all that comes back until the server closes."""
    connection.shutdown(socket.SHUT_WR)
    return b"".join(iter(lambda: connection.recv(1 << 16), b""))


def running(*seconds: float) -> Iterator[Server]:
    """Yield a running server and end it: the body of a fixture."""
    started = Server(*seconds)
    yield started
    started.process.kill()
    started.process.wait()


@pytest.fixture
def server():
    yield from running(SECONDS)


@pytest.fixture(scope="module")
def quick():
    yield from running(0)


@pytest.mark.parametrize("name", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_answers_what_was_asked_and_ends_with_status_0(server, name):
    questions = [f"question {i}" for i in range(10)]
    with ThreadPoolExecutor(len(questions)) as pool:
        asked = [pool.submit(server.ask, question) for question in questions]
        time.sleep(3 * SECONDS)  # some are answered, one is at work, the others wait
        assert not all(each.done() for each in asked)
        assert server.stop(name) == 0
        assert [each.result() for each in asked] == [(200, question) for question in questions]
    with pytest.raises(ConnectionRefusedError):
        server.ask("too late")
    assert "Traceback" not in server.process.stderr.read()


def test_a_question_on_a_connection_that_was_opened_before_the_stop_is_answered(server):
    with socket.create_connection(server.address, timeout=10) as connection:
        time.sleep(0.1)  # the server has accepted the connection, and waits for the request
        server.process.send_signal(signal.SIGTERM)
        time.sleep(0.15)
        connection.sendall(b"GET /api/ask?q=late HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answer = connection.recv(1 << 16)
    assert answer.startswith(b"HTTP/1.1 200") and b"connection: close" in answer.lower()
    assert server.process.wait(timeout=30) == 0


def test_a_port_that_is_taken_is_refused_in_one_line(quick):
    with pytest.raises(InputError, match="--port"):
        listen(quick.address[1])


def test_the_server_listens_on_the_loopback_address_alone(quick):
    listening = listen(0)
    assert listening.getsockname()[0] == HOST == quick.address[0] == "127.0.0.1"
    listening.close()


ASK = b"GET /api/ask?q=a HTTP/1.1\r\n"
POST = b"POST /api/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
RAW = {
    "two hosts": ASK + b"Host: localhost\r\nHost: evil.example\r\n\r\n",
    "no host": ASK + b"\r\n",
    "another host in the address": b"GET http://evil.example/api/ask?q=a HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    "no HTTP": b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03",
    "a header without an end": ASK + b"X: " + b"x" * 100_000,
    "many headers": ASK + b"Host: localhost\r\n" + b"X: 1\r\n" * 20_000 + b"\r\n",
    "a line break in a header": ASK + b"Host: localhost\r\nX: a\rb\r\n\r\n",
    "a length and chunks": POST + b"Content-Length: 1\r\nTransfer-Encoding: xyz\r\n\r\na",
    "a body that ends early": POST + b"Content-Length: 99\r\n\r\n{",
    "an upgrade": ASK + b"Host: evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
}


@pytest.mark.parametrize("name", RAW)
def test_a_request_that_is_not_clean_gets_no_answer_and_harms_nobody(quick, name):
    found = quick.send(RAW[name])
    assert b" 200 " not in found.partition(b"\r\n")[0] and b'"answers"' not in found
    assert quick.ask("still there?") == (200, "still there?")


def test_a_client_that_still_sends_gets_the_refusal_and_no_reset(quick):
    """On a loaded machine the server refuses a long head while the rest is on its way."""
    with socket.create_connection(quick.address, timeout=10) as connection:
        connection.sendall(RAW["a header without an end"])
        for _ in range(5):
            time.sleep(0.1)  # by now the server has refused what came first
            connection.sendall(b"x" * 100_000)
        assert rest_of(connection).startswith(b"HTTP/1.1 400 ")


HEAD = b"GET /api/ask?q=a HTTP/1.1\r\nHost: localhost\r\n"
HEAD_SECONDS = 0.4


@pytest.fixture
def hasty():
    yield from running(2 * HEAD_SECONDS, HEAD_SECONDS)


def test_a_connection_that_sends_no_whole_head_in_time_is_closed(hasty):
    for content in (b"", HEAD):
        started = time.monotonic()
        with socket.create_connection(hasty.address, timeout=10) as connection:
            connection.sendall(content)
            assert connection.recv(1) == b""
        assert time.monotonic() - started >= HEAD_SECONDS / 2


def test_a_head_that_comes_a_byte_at_a_time_is_not_waited_for(hasty):
    connection = socket.create_connection(hasty.address, timeout=10)
    with connection, pytest.raises(ConnectionError):
        for _ in range(200):
            time.sleep(0.05)
            connection.sendall(b"G")


def test_a_slow_answer_is_given_and_then_the_next_head_is_awaited(hasty):
    connection = HTTPConnection(*hasty.address, timeout=10)
    for _ in range(2):
        connection.request("GET", "/api/ask?q=a")
        answer = connection.getresponse()
        assert answer.status == 200 and answer.read()
    connection.sock.sendall(HEAD)
    assert connection.sock.recv(1) == b""
    connection.close()


def test_silent_connections_keep_others_out_for_no_longer_than_a_head_may_take(hasty):
    silent = [socket.create_connection(hasty.address, timeout=10) for _ in range(260)]
    for connection in silent:
        assert connection.recv(1) == b""
        connection.close()
    assert hasty.ask("still there?") == (200, "still there?")
