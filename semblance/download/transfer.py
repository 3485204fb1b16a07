"""One address to one file: resumed, retried with patience, and checked before it takes its place."""

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import requests
from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt
from tqdm import tqdm

from semblance.errors import InputError
from semblance.files import sync
from semblance.provenance import file_digest

CHUNK = 1 << 14  # bytes; what a broken connection can lose
LARGEST = 8 << 30  # bytes; no file of ours comes near it
PASSING = (408, 425, 429, 500, 502, 503, 504)


@dataclass(frozen=True)
class Patience:
    """How long one address is tried: attempts, and seconds of first wait, longest wait and silence."""

    attempts: int = 6
    first: float = 1.0
    longest: float = 120.0
    timeout: float = 30.0


class Unavailable(Exception):
    """A place does not give the file; its text says why. Another place may."""


class Altered(Unavailable):
    """A place gives another content than the expected one."""


class Passing(Unavailable):
    """A failure that may pass; ``after`` is the wait in seconds that the server asks for."""

    def __init__(self, reason: str, after: float = 0.0):
        super().__init__(reason)
        self.after = after


def is_url(place: object) -> bool:
    """Say whether a place is an http(s) address, not a folder or file."""
    return str(place).startswith(("http://", "https://"))


def bring(
    place: str,
    target: Path,
    sha256: str | None,
    size: int | None,
    *,
    patience: Patience = Patience(),
    progress: bool = True,
    headers: dict[str, str] | None = None,
) -> str:
    """Bring the file at an address or path to ``target``, whole and checked, and return its sha256.

    What is half there waits in ``target.part``. A part left by an earlier call is continued only
    under a known digest, and if the result is wrong the file is fetched once more from its start.
    Raises Unavailable, or Altered with the expected and the actual digest.
    """
    part = target.with_name(target.name + ".part")
    target.parent.mkdir(parents=True, exist_ok=True)
    if sha256 is None or not is_url(place):
        part.unlink(missing_ok=True)
    continued = part.exists()
    problem = _bring_part(place, part, sha256, size, patience, progress, headers)
    if problem and continued:
        problem = _bring_part(place, part, sha256, size, patience, progress, headers)
    if problem:
        raise Altered(problem)
    digest = file_digest(part)
    sync(part)  # also where a killed process completed it
    os.replace(part, target)
    sync(target.parent)
    return digest


def mismatch(path: Path, sha256: str | None, size: int | None) -> str:
    """Return how a file differs from what is expected, or the empty string."""
    found = path.stat().st_size
    if size is not None and found != size:
        return f"it has {found} bytes, expected {size}"
    if sha256 is not None and (actual := file_digest(path)) != sha256:
        return f"its content was altered: sha256 expected {sha256}, actual {actual}"
    return ""


def retrying(patience: Patience) -> Retrying:
    """Return the retry policy: exponential waits, never shorter than the server asks for."""

    def wait(state: RetryCallState) -> float:
        backoff = min(patience.longest, patience.first * 2 ** (state.attempt_number - 1))
        return max(backoff, state.outcome.exception().after)

    return Retrying(
        stop=stop_after_attempt(patience.attempts),
        wait=wait,
        reraise=True,
        retry=retry_if_exception_type(Passing),
    )


def refusal(status: int, retry_after: str | None, patience: Patience) -> Unavailable:
    """Turn an HTTP error status into Passing, or into Unavailable if waiting is no use."""
    reason = f"HTTP {status}" + (" (too many requests)" if status == 429 else "")
    if status not in PASSING:
        return Unavailable(reason)
    # ASSUME: a date in Retry-After counts as no wish; our own back-off then decides.
    after = float(retry_after) if re.fullmatch("[0-9]{1,9}", retry_after or "") else 0.0
    if after > patience.longest:
        return Unavailable(
            f"{reason}; the server asks to wait {after:.0f} s, longer than {patience.longest:.0f} s"
        )
    return Passing(reason, after)


def _bring_part(
    place: str,
    part: Path,
    sha256: str | None,
    size: int | None,
    patience: Patience,
    progress: bool,
    headers: dict[str, str] | None,
) -> str:
    if is_url(place):
        retrying(patience)(_download, str(place), part, size, patience, progress, headers or {})
    else:
        _copy(Path(place), part)
    problem = mismatch(part, sha256, size)
    if problem:
        part.unlink()
    return problem


def _copy(source: Path, part: Path) -> None:
    if not source.is_file():
        raise Unavailable("no such file")
    _need_space(part.parent, source.stat().st_size)
    with open(source, "rb") as reader, open(part, "wb") as writer:
        shutil.copyfileobj(reader, writer)
        _settle(writer)


def _download(
    url: str, part: Path, size: int | None, patience: Patience, progress: bool, extra: dict
) -> None:
    offset = part.stat().st_size if part.exists() else 0
    if size is not None and offset >= size:
        return  # complete, or too long: the check that follows decides
    # "identity": a compressed answer could neither be counted nor continued
    headers = {**extra, "Accept-Encoding": "identity"} | (
        {"Range": f"bytes={offset}-"} if offset else {}
    )
    try:
        with requests.get(url, headers=headers, stream=True, timeout=patience.timeout) as response:
            offset = _start(response, part, offset, patience)
            total = _total(response, offset, size)
            _need_space(part.parent, (total or 0) - offset)
            _receive(response, part, offset, total, progress)
    except (
        requests.ConnectionError,
        requests.Timeout,
        requests.exceptions.ChunkedEncodingError,
    ) as error:
        raise Passing(f"the connection failed ({type(error).__name__})") from error
    except requests.RequestException as error:
        raise Unavailable(str(error)) from error


def _start(response: requests.Response, part: Path, offset: int, patience: Patience) -> int:
    """Return where the answer's first byte belongs; raise if there is no such answer."""
    if response.status_code == 200:
        return 0  # the server ignores Range: from the start
    if response.status_code == 206 and response.headers.get("Content-Range", "").startswith(
        f"bytes {offset}-"
    ):
        return offset
    if response.status_code in (206, 416):
        part.unlink(missing_ok=True)
        raise Passing(f"HTTP {response.status_code} for a range that is not ours")
    raise refusal(response.status_code, response.headers.get("Retry-After"), patience)


def _total(response: requests.Response, offset: int, size: int | None) -> int | None:
    length = response.headers.get("Content-Length", "")
    stated = re.fullmatch("[0-9]{1,18}", length) and "Content-Encoding" not in response.headers
    total = offset + int(length) if stated else size
    if size is not None and total != size:
        raise Altered(f"it has {total} bytes, expected {size}")
    return total


def _receive(
    response: requests.Response, part: Path, offset: int, total: int | None, progress: bool
) -> None:
    bound = LARGEST if total is None else total
    bar = tqdm(
        total=total,
        initial=offset,
        unit="B",
        unit_scale=True,
        desc=part.stem,
        disable=None if progress else True,
    )  # None: off where stderr is no terminal
    with bar, open(part, "ab" if offset else "wb") as writer:
        for chunk in response.iter_content(CHUNK):
            writer.write(chunk)
            bar.update(len(chunk))
            if writer.tell() > bound:
                raise Altered(f"it is longer than {bound} bytes")
        _settle(writer)


def _settle(writer) -> None:
    writer.flush()
    os.fsync(writer.fileno())


def _need_space(folder: Path, need: int) -> None:
    free = shutil.disk_usage(folder).free
    if need > free:
        raise InputError(
            folder,
            f"{need} bytes are needed and {free} are free",
            "make room or choose another folder",
        )
