"""What a server states of a file that is not downloaded: its size and, on a hub, its digest."""

import re
from urllib.parse import urljoin

import requests

from semblance.download.pin import AT_COMMIT, Pin
from semblance.download.transfer import (
    BROKEN_CONNECTION,
    Patience,
    Transient,
    Unavailable,
    refusal,
    retrying,
)

REDIRECTIONS = 5  # followed at most
WITHOUT_HEAD = (403, 405, 501)  # HTTP statuses of servers that answer no HEAD


def ask_address(url: str, patience: Patience) -> Pin:
    """Return what a server states of the file at an address, as a pin.

    A hub states the sha256 of a large file and the git blob of a small one; other servers state
    the size alone, or nothing. Raises Unavailable.
    """
    return retrying(patience)(_ask_once, url, patience)


def _ask_once(url: str, patience: Patience) -> Pin:
    """Ask once, following redirections; Transient if asking again may help."""
    place = url
    for _ in range(REDIRECTIONS):
        response = _request("HEAD", place, patience)
        if response.status_code in WITHOUT_HEAD:
            response = _request("GET", place, patience)
        # Behind a large file's redirection lies storage that may answer GET alone.
        if not response.is_redirect or "X-Linked-Etag" in response.headers:
            return _statement(url, response, patience)
        place = urljoin(place, response.headers["Location"])
    raise Unavailable(f"more than {REDIRECTIONS} redirections")


def _request(method: str, url: str, patience: Patience) -> requests.Response:
    """Ask for the head of a file, or for its first byte."""
    headers = {"Accept-Encoding": "identity"}  # or the size would be that of a compressed answer
    if method == "GET":
        headers["Range"] = "bytes=0-0"
    try:
        with requests.request(
            method, url, headers=headers, stream=True, allow_redirects=False,
            timeout=patience.timeout,
        ) as response:  # fmt: skip
            return response
    except BROKEN_CONNECTION as error:
        raise Transient(f"the connection failed ({type(error).__name__})") from None
    except requests.RequestException as error:
        raise Unavailable(str(error)) from None


def _statement(url: str, response: requests.Response, patience: Patience) -> Pin:
    headers = response.headers
    status = response.status_code
    if status not in (200, 206) and "X-Linked-Etag" not in headers:
        raise refusal(status, headers.get("Retry-After"), patience)
    commit = AT_COMMIT.search(url)
    stated = headers.get("X-Repo-Commit")
    if commit is None or stated is None:
        return Pin(None, _size(response))
    if stated != commit[1]:
        raise Unavailable(f"the hub answers with revision {stated}")
    etag = headers.get("X-Linked-Etag", headers.get("ETag", ""))
    return stated_pin(etag.removeprefix("W/").strip('"'), _size(response))


def stated_pin(etag: str | None, size: int | None) -> Pin:
    """Return the pin that a hub's etag is: a sha256 of a large file, a git blob of a small one."""
    digest = etag or ""
    if re.fullmatch("[0-9a-f]{64}", digest):
        return Pin(digest, size)
    if re.fullmatch("[0-9a-f]{40}", digest):
        return Pin(None, size, digest)
    return Pin(None, size)


def _size(response: requests.Response) -> int | None:
    """Return the size of the whole file, None where the server does not state it."""
    headers = response.headers
    text = headers.get("Content-Length", "")
    if response.status_code == 206:
        text = headers.get("Content-Range", "").rpartition("/")[2]
    text = headers.get("X-Linked-Size", text)
    if re.fullmatch("[0-9]{1,18}", text) and "Content-Encoding" not in headers:
        return int(text)
    return None
