"""One address to one file: resumed, retried with patience, and checked before it takes its place."""

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import requests
from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt
from tqdm import tqdm

from semblance.download.pin import LARGEST, Pin, is_url
from semblance.errors import InputError
from semblance.files import sync
from semblance.provenance import file_digest

CHUNK = 1 << 14  # bytes; what a broken connection can lose
TRANSIENT = (408, 425, 429, 500, 502, 503, 504)  # HTTP statuses
BROKEN_CONNECTION = (
    requests.ConnectionError,
    requests.Timeout,
    requests.exceptions.ChunkedEncodingError,
)


@dataclass(frozen=True)
class Patience:
    """How long one address is tried: attempts, and seconds of first wait, longest wait and silence."""

    attempts: int = 6
    first: float = 1.0
    longest: float = 120.0
    timeout: float = 30.0


@dataclass(frozen=True)
class Transfer:
    """How files are transferred: with how much patience, and whether a bar shows the progress."""

    patience: Patience = Patience()
    progress: bool = True


class Unavailable(Exception):
    """A place does not give the file; its text says why. Another place may."""


class Altered(Unavailable):
    """A place gives another content than the expected one."""


class Transient(Unavailable):
    """A failure that may pass; ``wait`` is the time in seconds that the server asks us to wait."""

    def __init__(self, reason: str, wait: float = 0.0):
        super().__init__(reason)
        self.wait = wait


def fetch_file(
    place: str,
    target: Path,
    pin: Pin,
    transfer: Transfer = Transfer(),
    headers: Mapping[str, str] | None = None,
) -> str:
    """Fetch the file at an address or path to ``target``, whole and checked, and return its sha256.

    A download that is not complete waits in ``target.part``. A part left by an earlier call is
    continued only under a known digest, and if the result is wrong the file is fetched once more
    from its start. ``headers`` are sent to an address. Raises Unavailable, or Altered with the
    expected and the actual digest.
    """
    part = target.with_name(target.name + ".part")
    target.parent.mkdir(parents=True, exist_ok=True)
    if not pin.has_digest or not is_url(place):
        part.unlink(missing_ok=True)
    was_continued = part.exists()
    problem = _fetch_part(place, part, pin, transfer, headers)
    if problem and was_continued:
        problem = _fetch_part(place, part, pin, transfer, headers)
    if problem:
        raise Altered(problem)
    digest = file_digest(part)
    sync(part)  # also where a killed process completed it
    os.replace(part, target)
    sync(target.parent)
    return digest


def retrying(patience: Patience) -> Retrying:
    """Return the retry policy: exponential waits, never shorter than the server asks for."""

    def wait(state: RetryCallState) -> float:
        """Return the seconds before the next attempt."""
        backoff = min(patience.longest, patience.first * 2 ** (state.attempt_number - 1))
        return max(backoff, state.outcome.exception().wait)

    return Retrying(
        stop=stop_after_attempt(patience.attempts),
        wait=wait,
        reraise=True,
        retry=retry_if_exception_type(Transient),
    )


def refusal(status: int, retry_after: str | None, patience: Patience) -> Unavailable:
    """Turn an HTTP error status into Transient, or into Unavailable if waiting does not help."""
    reason = f"HTTP {status}"
    if status == 429:
        reason += " (too many requests)"
    if status not in TRANSIENT:
        return Unavailable(reason)
    # ASSUME: a date in Retry-After is ignored; our own back-off then decides.
    wait = 0.0
    if re.fullmatch("[0-9]{1,9}", retry_after or ""):
        wait = float(retry_after)
    if wait > patience.longest:
        return Unavailable(
            f"{reason}; the server asks to wait {wait:.0f} s, longer than {patience.longest:.0f} s"
        )
    return Transient(reason, wait)


def _fetch_part(
    place: str, part: Path, pin: Pin, transfer: Transfer, headers: Mapping[str, str] | None
) -> str:
    """Complete the part file; return how it differs from the pin after deleting it, or ""."""
    if is_url(place):
        retrying(transfer.patience)(_download, place, part, pin.size, transfer, headers or {})
    else:
        _copy(Path(place), part)
    problem = pin.mismatch(part)
    if problem:
        part.unlink()
    return problem


def _copy(source: Path, part: Path) -> None:
    if not source.is_file():
        raise Unavailable("no such file")
    _require_space(part.parent, source.stat().st_size)
    with open(source, "rb") as reader, open(part, "wb") as writer:
        shutil.copyfileobj(reader, writer)
        _settle(writer)


def _download(
    url: str, part: Path, size: int | None, transfer: Transfer, headers: Mapping[str, str]
) -> None:
    """Download an address to the part file, from where the part ends."""
    offset = 0
    if part.exists():
        offset = part.stat().st_size
    if size is not None and offset >= size:
        return  # complete, or too long: the check that follows decides
    # "identity": a compressed answer could neither be counted nor continued
    asked = {**headers, "Accept-Encoding": "identity"}
    if offset:
        asked["Range"] = f"bytes={offset}-"
    timeout = transfer.patience.timeout
    try:
        with requests.get(url, headers=asked, stream=True, timeout=timeout) as response:
            offset = _first_byte(response, part, offset, transfer.patience)
            total = _total(response, offset, size)
            if total is not None:
                _require_space(part.parent, total - offset)
            _receive(response, part, offset, total, transfer.progress)
    except BROKEN_CONNECTION as error:
        raise Transient(f"the connection failed ({type(error).__name__})") from error
    except requests.RequestException as error:
        raise Unavailable(str(error)) from error


def _first_byte(response: requests.Response, part: Path, offset: int, patience: Patience) -> int:
    """Return where the answer's first byte belongs; raise Unavailable if there is no such answer."""
    status = response.status_code
    if status == 200:
        return 0  # the server ignores Range: from the start
    stated = response.headers.get("Content-Range", "")
    if status == 206 and stated.startswith(f"bytes {offset}-"):
        return offset
    if status in (206, 416):
        part.unlink(missing_ok=True)
        raise Transient(f"HTTP {status} for another range than the one asked for")
    raise refusal(status, response.headers.get("Retry-After"), patience)


def _total(response: requests.Response, offset: int, size: int | None) -> int | None:
    """Return the whole file's size as the server states it, or else as it is pinned."""
    total = size
    length = response.headers.get("Content-Length", "")
    if re.fullmatch("[0-9]{1,18}", length) and "Content-Encoding" not in response.headers:
        total = offset + int(length)
    if size is not None and total != size:
        raise Altered(f"it has {total} bytes, expected {size}")
    return total


def _receive(
    response: requests.Response, part: Path, offset: int, total: int | None, progress: bool
) -> None:
    """Write an answer's bytes behind the first ``offset`` bytes of the part file."""
    mode = "wb"
    if offset:
        mode = "ab"
    bound = LARGEST
    if total is not None:
        bound = total
    with _bar(part, offset, total, progress) as bar, open(part, mode) as writer:
        for chunk in response.iter_content(CHUNK):
            writer.write(chunk)
            bar.update(len(chunk))
            if writer.tell() > bound:
                raise Altered(f"it is longer than {bound} bytes")
        _settle(writer)


def _bar(part: Path, offset: int, total: int | None, progress: bool) -> tqdm:
    hidden = None  # only where stderr is no terminal
    if not progress:
        hidden = True
    return tqdm(
        total=total, initial=offset, unit="B", unit_scale=True, desc=part.stem, disable=hidden
    )


def _settle(writer: BinaryIO) -> None:
    """Wait until all that was written is on the disk."""
    writer.flush()
    os.fsync(writer.fileno())


def _require_space(folder: Path, need: int) -> None:
    free = shutil.disk_usage(folder).free
    if need > free:
        raise InputError(
            folder,
            f"{need} bytes are needed and {free} are free",
            "make room or choose another folder",
        )
