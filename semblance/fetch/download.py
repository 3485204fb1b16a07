"""One address to one file: bounded, continued, and checked before it takes its place."""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from semblance.errors import InputError
from semblance.fetch.manifest import LARGEST, Pin, is_url
from semblance.fetch.web import (
    IDENTITY,
    PATIENT,
    Altered,
    Patience,
    Request,
    Transient,
    Unavailable,
    number,
    refusal,
    retrying,
    watched,
)
from semblance.files import sync
from semblance.provenance import file_digest


def fetch_file(
    place: str,
    target: Path,
    pin: Pin,
    patience: Patience = PATIENT,
    headers: Mapping[str, str] | None = None,
    most: int = LARGEST,
) -> str:
    """Fetch the file at an address or path to ``target``, whole and checked; return its sha256.

    A download that is not complete waits in ``target.part`` and is continued, under a known digest
    only; if the result is wrong, the file is fetched once more from its start. A file of unknown
    size has at most ``most`` bytes. Raises Unavailable, or Altered with both digests.
    """
    part = target.with_name(target.name + ".part")
    target.parent.mkdir(parents=True, exist_ok=True)
    if is_url(place):
        download = _Download(place, part, pin, patience, {**(headers or {}), **IDENTITY}, most)
        retrying(patience)(download.attempt)
        if download.was_continued and pin.mismatch(part):
            part.unlink()  # it was of another file, or the file has changed meanwhile
            retrying(patience)(download.attempt)
    elif Path(place).is_file():
        _require_space(part.parent, os.path.getsize(place))
        shutil.copyfile(place, part)
    else:
        raise Unavailable("no such file")
    problem = pin.mismatch(part)
    if not pin.has_digest and part.stat().st_size == 0:
        problem = "it is empty"  # no digest says that this is right
    if problem:
        part.unlink()
        raise Altered(problem)
    digest = file_digest(part)
    sync(part)  # also where a killed process completed it
    os.replace(part, target)
    sync(target.parent)
    return digest


@dataclass
class _Download:
    """One address to one part file, in several attempts."""

    url: str
    part: Path
    pin: Pin
    patience: Patience
    headers: dict[str, str]
    most: int
    was_continued: bool = False

    def attempt(self) -> None:
        """Download from where the part ends; raise Transient if another attempt may help."""
        if not self.pin.has_digest:
            self.part.unlink(missing_ok=True)  # nothing would show that the file has changed
        offset = self.part.stat().st_size if self.part.exists() else 0
        self.was_continued = self.was_continued or offset > 0
        # A part that is complete, or too long, is left to the check that follows.
        if self.pin.size is None or offset < self.pin.size:
            watched(self.patience, self._receive, offset)

    def _receive(self, request: Request, offset: int) -> None:
        """Write what the address answers behind the first ``offset`` bytes of the part file."""
        rest = {"Range": f"bytes={offset}-"} if offset else {}
        response = request.open("GET", self.url, {**self.headers, **rest})
        status = response.status_code
        if status == 200:
            offset = 0  # also of a server that ignores Range
        elif status not in (206, 416):
            raise refusal(response, self.patience)
        elif not response.headers.get("Content-Range", "").startswith(f"bytes {offset}-"):
            with request.awaited():
                self.part.unlink(missing_ok=True)
            raise Transient(f"HTTP {status} for a range that was not requested")
        length = number(response.headers.get("Content-Length", ""))
        total = self.pin.size if length is None else offset + length
        if self.pin.size not in (None, total):
            raise Altered(f"it has {total} bytes, expected {self.pin.size}")
        bound = self.most if total is None else total
        if bound > self.most:
            raise Altered(f"it has {total:,} bytes, more than {self.most:,} bytes")
        _require_space(self.part.parent, length or 0)
        if not offset:
            with request.awaited():
                self.part.write_bytes(b"")
        # Where there is no terminal, the bar is not drawn.
        bar = {"total": total, "initial": offset, "desc": self.part.stem, "disable": None}
        with open(self.part, "ab") as file, tqdm.wrapattr(file, "write", **bar) as writer:
            while chunk := request.read():
                with request.awaited():
                    writer.write(chunk)
                    file.flush()  # nothing is left for the moment at which it is closed
                if file.tell() > bound:
                    raise Altered(f"it is longer than {bound:,} bytes")
        sync(self.part)


def _require_space(folder: Path, need: int) -> None:
    free = shutil.disk_usage(folder).free
    if need > free:
        problem = f"{need} bytes are needed and {free} are free"
        raise InputError(folder, problem, "make room or choose another folder")
