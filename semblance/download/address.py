"""What a server states of a file that is not downloaded: its size and, on a hub, its digest."""

import re
from collections.abc import Mapping

from semblance.download.answer import Answer, Patience, Unavailable, open_answer, retrying
from semblance.download.pin import AT_COMMIT, Pin

WITHOUT_HEAD = (403, 405, 501)  # HTTP statuses of servers that answer no HEAD
# A hub sends it with the redirection of a large file. Behind lies storage that states no digest.
LINKED = "X-Linked-Etag"
IDENTITY = {"Accept-Encoding": "identity"}  # or the size would be that of a compressed answer


def ask_address(url: str, patience: Patience, headers: Mapping[str, str] | None = None) -> Pin:
    """Return what a server states of the file at an address, as a pin.

    A hub states the sha256 of a large file and the git blob of a small one; other servers state
    the size alone, or nothing. ``headers`` are sent to the address. Raises Unavailable.
    """
    return retrying(patience)(_ask_once, url, patience, {**(headers or {}), **IDENTITY})


def _ask_once(url: str, patience: Patience, headers: Mapping[str, str]) -> Pin:
    """Ask once; Transient if asking again may help."""
    with open_answer("HEAD", url, patience, headers, last=LINKED) as answer:
        if answer.status not in WITHOUT_HEAD:
            return _statement(url, answer, patience)
    first_byte = {**headers, "Range": "bytes=0-0"}
    with open_answer("GET", url, patience, first_byte, last=LINKED) as answer:
        return _statement(url, answer, patience)


def _statement(url: str, answer: Answer, patience: Patience) -> Pin:
    headers = answer.headers
    if answer.status not in (200, 206) and LINKED not in headers:
        raise answer.refusal(patience)
    commit = AT_COMMIT.search(url)
    stated = headers.get("X-Repo-Commit")
    if commit is None or stated is None:
        return Pin(None, _size(answer))
    if stated != commit[1]:
        raise Unavailable(f"the hub answers with revision {stated}")
    etag = headers.get(LINKED, headers.get("ETag", ""))
    return stated_pin(etag.removeprefix("W/").strip('"'), _size(answer))


def stated_pin(etag: str | None, size: int | None) -> Pin:
    """Return the pin that a hub's etag is: a sha256 of a large file, a git blob of a small one."""
    digest = etag or ""
    if re.fullmatch("[0-9a-f]{64}", digest):
        return Pin(digest, size)
    if re.fullmatch("[0-9a-f]{40}", digest):
        return Pin(None, size, digest)
    return Pin(None, size)


def _size(answer: Answer) -> int | None:
    """Return the size of the whole file, None where the server does not state it."""
    if "Content-Encoding" in answer.headers:
        return None
    text = answer.headers.get("Content-Length", "")
    if answer.status == 206:
        text = answer.headers.get("Content-Range", "").rpartition("/")[2]
    text = answer.headers.get("X-Linked-Size", text)
    return int(text) if re.fullmatch("[0-9]{1,18}", text) else None
