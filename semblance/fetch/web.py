"""One place to one file: an address or a path, compared with the pin before the file has its name."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import requests
from huggingface_hub import errors, get_hf_file_metadata
from tenacity import (
    retry,
    retry_if_exception_type,
    stop_after_attempt,
    wait_exponential,
)
from tqdm import tqdm

from semblance.fetch.manifest import Pin, is_url
from semblance.files import whole_file

CHUNK = 1 << 20  # bytes
SILENCE = (30, 60)  # seconds: to connect, and between two pieces of an answer
BRIEF = 10  # seconds, for a question
TRANSIENT = (408, 425, 429, 500, 502, 503, 504)  # HTTP statuses
WITHOUT_HEAD = (403, 405, 501)  # HTTP statuses of servers that answer no HEAD
AT_COMMIT = re.compile("/resolve/([0-9a-f]{40})/")  # in the addresses of a hub's files
# The size of a compressed answer is not the file's. Some servers compress whatever is asked for.
IDENTITY = {"Accept-Encoding": "identity"}
LARGEST = 8 << 30  # bytes; no file of ours comes near it
DROPPED = (  # what the libraries raise where a connection fails or ends too soon
    requests.ConnectionError,
    requests.Timeout,
    requests.exceptions.ChunkedEncodingError,
    httpx2.TransportError,
)
# What they raise for addresses and answers that make no sense.
SENSELESS = (
    *(requests.RequestException, httpx2.HTTPError, httpx2.InvalidURL),
    *(ValueError, TypeError, LookupError, AttributeError),
)


class Unavailable(Exception):
    """A place does not give the file as it is pinned; its text says why. Another place may."""


class Transient(Unavailable):
    """A failure that may pass."""


# 1, 2, 4, … seconds between two attempts
again = {"retry": retry_if_exception_type(Transient), "wait": wait_exponential(), "reraise": True}
patient = retry(stop=stop_after_attempt(6), **again)
brief = retry(stop=stop_after_attempt(2), **again)


def take(place: str, target: Path, pin: Pin) -> None:
    """Take the file at an address or path to ``target``, whole and as pinned; raise Unavailable."""
    with whole_file(target) as part:
        if is_url(place):
            _download(place, part, pin.size or LARGEST)
        elif Path(place).is_file():
            shutil.copyfile(place, part)
        else:
            raise Unavailable("no such file")
        if problem := pin.mismatch(part):
            raise Unavailable(problem)


@patient
def _download(url: str, part: Path, most: int) -> None:
    """Write what an address answers, at most so many bytes; each attempt starts anew."""
    with (
        failures_told(),
        requests.get(url, headers=IDENTITY, stream=True, timeout=SILENCE) as answer,
        part.open("wb") as file,
        # Where there is no terminal, the bar is not drawn.
        tqdm(desc=Path(url).name, unit="B", unit_scale=True, disable=None) as bar,
    ):
        _refuse(answer.status_code)
        bar.total = _number(answer.headers.get("Content-Length", ""))
        for chunk in answer.iter_content(CHUNK):
            bar.update(file.write(chunk))
            if file.tell() > most:
                raise Unavailable(f"it has more than {most:,} bytes")


@brief
def ask_address(url: str) -> Pin:
    """Return what a server states of the file at an address, as a pin; raise Unavailable.

    A hub states the sha256 of a large file and the git blob of a small one at a whole commit; other
    servers state the size alone, or nothing.
    """
    with failures_told():
        if commit := AT_COMMIT.search(url):
            return _ask_hub(url, commit[1])
        answer = requests.head(url, headers=IDENTITY, allow_redirects=True, timeout=BRIEF)
        if answer.status_code in WITHOUT_HEAD:  # of a GET, only the head is read
            answer = requests.get(url, headers=IDENTITY, stream=True, timeout=BRIEF)
            answer.close()
        _refuse(answer.status_code)
        is_packed = answer.headers.get("Content-Encoding", "identity") != "identity"
        return Pin(size=None if is_packed else _number(answer.headers.get("Content-Length", "")))


def _ask_hub(url: str, commit: str) -> Pin:
    stated = get_hf_file_metadata(url, token=False, timeout=BRIEF)
    if stated.commit_hash is None:  # only looks like a hub's address
        return Pin(size=stated.size)
    if stated.commit_hash != commit:
        raise Unavailable(f"the hub answers with revision {stated.commit_hash}")
    return stated_pin(stated.etag or "", stated.size)


def stated_pin(digest: str, size: int | None) -> Pin:
    """Return the pin that a hub states: a sha256 of a large file, a git blob of a small one."""
    if re.fullmatch("[0-9a-f]{64}", digest):
        return Pin(digest, size)
    if re.fullmatch("[0-9a-f]{40}", digest):
        return Pin(None, size, digest)
    return Pin(size=size)


@contextmanager
def failures_told() -> Iterator[None]:
    """Turn the errors of the HTTP libraries into Transient, or into Unavailable."""
    try:
        yield
    except errors.HfHubHTTPError as error:
        answer = error.response
        _refuse(answer.status_code, f" of {answer.url.path}")
    except errors.LocalEntryNotFoundError as error:  # what the hub's client makes of the others
        with failures_told():
            raise (error.__cause__ or ValueError(error)) from None
    except errors.OfflineModeIsEnabled:
        raise Unavailable("HF_HUB_OFFLINE forbids the network") from None
    except DROPPED as error:
        raise Transient(f"the connection failed ({type(error).__name__})") from error
    except SENSELESS as error:
        raise Unavailable(f"the answer makes no sense ({error})") from error
    except (OSError, RuntimeError) as error:
        if getattr(error, "errno", None) is not None:  # of the disk
            raise
        raise Transient(" ".join(str(error).split())) from error


def _refuse(status: int, what: str = "") -> None:
    """Raise Transient for an error status that may pass, Unavailable for any other one."""
    if status < 400:
        return
    failure = Transient if status in TRANSIENT else Unavailable
    raise failure(f"HTTP {status}{what}")


def _number(text: str) -> int | None:
    """Return the number that a header states, None for none and for one beyond reason."""
    return int(text) if re.fullmatch("[0-9]{1,18}", text) else None
