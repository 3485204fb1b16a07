"""A small HTTP server on this machine for the tests: redirects, faults, and a hub's API."""

import hashlib
import json
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Fault:
    """What one GET or HEAD of a path meets instead of the file: a status, or a cut connection.

    The connection is cut after ``cut`` bytes.
    """

    status: int = 0
    cut: int | None = None


@dataclass
class Served:
    """One path's answer; ``headers`` are sent with HEAD and GET, ``location`` makes it a redirect."""

    content: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    location: str | None = None


class LocalServer:
    """Serve ``files`` (path to Served); ``faults`` are met one a request, ``always`` at every request."""

    def __init__(self) -> None:
        self.files: dict[str, Served] = {}
        self.faults: dict[str, list[Fault]] = defaultdict(list)
        self.always: dict[str, Fault] = {}
        self.seen: list[tuple[str, str]] = []  # method, path
        self.headers: list[dict[str, str]] = []  # of the requests, in the order of ``seen``
        handler = type("Handler", (_Handler,), {"board": self})
        self._server = _Server(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        # To a client another host, as a CDN is
        self.elsewhere = f"http://localhost:{self._server.server_port}"
        often = {"poll_interval": 0.02}
        threading.Thread(target=self._server.serve_forever, kwargs=often, daemon=True).start()

    def serve(self, path: str, content: bytes, **options) -> str:
        """Add a file and return its address."""
        self.files[path] = Served(content, **options)
        return self.url + path

    def serve_hub(
        self, repo: str, revision: str, files: dict[str, bytes], large: tuple[str, ...] = ()
    ) -> None:
        """Add a model repository as a hub serves it; ``large`` files are redirected to a CDN path."""
        siblings = [_listed(name, content, large) for name, content in files.items()]
        tree = [_in_tree(name, content, large) for name, content in files.items()]
        listing = {"id": repo, "sha": revision, "siblings": siblings}
        for place, value in (("revision", listing), ("tree", tree)):
            stated = {"Content-Type": "application/json"}
            content = json.dumps(value).encode()
            self.serve(f"/api/models/{repo}/{place}/{revision}", content, headers=stated)
        for name, content in files.items():
            path, stated = f"/{repo}/resolve/{revision}/{name}", {"X-Repo-Commit": revision}
            if name in large:
                self.serve_large(path, revision, content)
            else:
                self.serve(path, content, headers=stated | {"ETag": f'"{blob_name(content)}"'})

    def serve_large(self, path: str, commit: str, content: bytes) -> None:
        """Add a large file as a hub serves it: its digest is stated, its content lies elsewhere."""
        sha256 = hashlib.sha256(content).hexdigest()
        stated = {
            "X-Repo-Commit": commit,
            "X-Linked-Etag": f'"{sha256}"',
            "X-Linked-Size": str(len(content)),
        }
        self.serve(path, b"moved", headers=stated, location=f"{self.elsewhere}/cdn/{sha256}")
        self.serve(f"/cdn/{sha256}", content)

    def count(self, path: str, method: str = "GET") -> int:
        """Count the requests of a path."""
        return self.seen.count((method, path))

    def close(self) -> None:
        """Stop answering and free the port."""
        self._server.shutdown()
        self._server.server_close()


def _listed(name: str, content: bytes, large: tuple[str, ...]) -> dict:
    """Return what a hub lists of a file: its git blob or, of a large file, its sha256."""
    listed = {"rfilename": name, "size": len(content)}
    if name in large:
        sha256 = hashlib.sha256(content).hexdigest()
        return listed | {"lfs": {"sha256": sha256, "size": len(content), "pointerSize": 134}}
    return listed | {"blobId": blob_name(content)}


def _in_tree(name: str, content: bytes, large: tuple[str, ...]) -> dict:
    """Return what a hub's tree says of a file."""
    listed = {"type": "file", "path": name, "size": len(content), "oid": blob_name(content)}
    if name in large:
        sha256 = hashlib.sha256(content).hexdigest()
        listed["lfs"] = {"oid": sha256, "size": len(content), "pointerSize": 134}
    return listed


def blob_name(content: bytes) -> str:
    """Return git's name of a content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def running() -> Iterator[LocalServer]:
    """Yield a running server and close it: the body of a fixture."""
    server = LocalServer()
    yield server
    server.close()


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Keep quiet of a client that left before it had read everything."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    board: LocalServer
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def log_message(self, *_: object) -> None:
        """Keep the tests' output quiet."""

    def _answer(self, body: bool) -> None:
        path = self.path.split("?")[0]
        self.board.seen.append((self.command, path))
        self.board.headers.append({name.title(): text for name, text in self.headers.items()})
        waiting = self.board.faults[path]
        fault = self.board.always.get(path, Fault())
        if waiting and (body or waiting[0].cut is None):
            fault = waiting.pop(0)
        served = self.board.files.get(path)
        if fault.status or served is None:
            self._send(fault.status or 404, {}, b"", body)
        elif served.location:
            self._send(302, served.headers | {"Location": served.location}, served.content, body)
        else:
            self._send(200, served.headers, served.content, body, fault.cut)

    def _send(self, status: int, headers: dict, content: bytes, body: bool, cut=None) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if body:
            self.wfile.write(content if cut is None else content[:cut])
        self.close_connection = self.close_connection or cut is not None
