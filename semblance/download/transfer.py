"""One address to one file: resumed, retried with patience, and checked before it takes its place."""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tqdm import tqdm

from semblance.download.answer import (
    Altered,
    Answer,
    Patience,
    Transient,
    Unavailable,
    open_answer,
    retrying,
)
from semblance.download.pin import LARGEST, Pin, is_url
from semblance.errors import InputError
from semblance.files import sync
from semblance.provenance import file_digest


@dataclass(frozen=True)
class Transfer:
    """How files are transferred: with how much patience, and whether a bar shows the progress."""

    patience: Patience = Patience()
    progress: bool = True


@dataclass(frozen=True)
class FetchOptions:
    """Where files may come from.

    With a ``mirror`` (a folder or an http(s) address) no other place is tried. ``offline`` forbids
    the network.
    """

    mirror: str | Path | None = None
    offline: bool = False
    transfer: Transfer = Transfer()


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


def _fetch_part(
    place: str, part: Path, pin: Pin, transfer: Transfer, headers: Mapping[str, str] | None
) -> str:
    """Complete the part file; return how it differs from the pin after deleting it, or ""."""
    if is_url(place):
        download = _Download(place, part, pin.size, transfer, headers or {})
        retrying(transfer.patience)(download.attempt)
    else:
        _copy(Path(place), part)
    problem = pin.mismatch(part)
    if not pin.has_digest and part.stat().st_size == 0:
        problem = "it is empty"  # no digest says that this is right
    if problem:
        part.unlink()
    return problem


def _copy(source: Path, part: Path) -> None:
    if not source.is_file():
        raise Unavailable("no such file")
    _require_space(part.parent, source.stat().st_size)
    with open(source, "rb") as reader, open(part, "wb") as writer:
        shutil.copyfileobj(reader, writer)


class _Version(NamedTuple):
    """By what a server tells one content of an address from another; "" and None: it does not say.

    ``total`` is the size of the whole file.
    """

    etag: str
    date: str
    total: int | None

    @property
    def condition(self) -> str:
        """What `If-Range` takes: a strong etag, or else the date of the last change."""
        if self.etag and not self.etag.startswith("W/"):
            return self.etag
        return self.date

    def difference(self, other: "_Version") -> str:
        """Return what tells the two apart, or the empty string."""
        if "" not in (self.etag, other.etag) and self.etag != other.etag:
            return f"etag {self.etag}, then {other.etag}"
        if None not in (self.total, other.total) and self.total != other.total:
            return f"{self.total} bytes, then {other.total}"
        return ""


class _Download:
    """One address to one part file, in several attempts, of which each continues the one before."""

    def __init__(
        self, url: str, part: Path, size: int | None, transfer: Transfer, headers: Mapping[str, str]
    ):
        self.url = url
        self.part = part
        self.size = size
        self.transfer = transfer
        self.headers = headers
        self.version: _Version | None = None  # of the content that the part holds, if it is known
        self.began_again = False

    def attempt(self) -> None:
        """Download from where the part ends; raise Transient if another attempt may help."""
        offset = 0
        if self.part.exists():
            offset = self.part.stat().st_size
        if self.size is not None and offset >= self.size:
            return  # complete, or too long: the check that follows decides
        # "identity": a compressed answer could neither be counted nor continued
        asked = {**self.headers, "Accept-Encoding": "identity"}
        if offset:
            asked["Range"] = f"bytes={offset}-"
            if self.version and self.version.condition:
                asked["If-Range"] = self.version.condition
        with open_answer("GET", self.url, self.transfer.patience, asked) as answer:
            offset = self._first_byte(answer, offset)
            total = self._total(answer, offset)
            if total is not None:
                _require_space(self.part.parent, total - offset)
            self._receive(answer, offset, total)

    def _first_byte(self, answer: Answer, offset: int) -> int:
        """Return where the answer's first byte belongs; raise Unavailable if it belongs nowhere."""
        if answer.status == 200:
            return 0  # the server ignores Range, or has another version: from the start
        stated = answer.headers.get("Content-Range", "")
        if answer.status == 206 and stated.startswith(f"bytes {offset}-"):
            return offset
        if answer.status in (206, 416):
            self.part.unlink(missing_ok=True)
            raise Transient(f"HTTP {answer.status} for another range than the one asked for")
        raise answer.refusal(self.transfer.patience)

    def _total(self, answer: Answer, offset: int) -> int | None:
        """Return the whole file's size as the server states it, or else as it is pinned.

        Raises Transient, once, if the answer is the rest of another content than that of the part.
        """
        total = None
        if answer.length is not None:
            total = offset + answer.length
        headers = answer.headers
        found = _Version(headers.get("ETag", ""), headers.get("Last-Modified", ""), total)
        known, self.version = self.version, found
        if offset and known and (difference := known.difference(found)):
            self.part.unlink()
            problem = f"it changed while it was downloaded: {difference}"
            if self.began_again:
                raise Altered(problem)
            self.began_again = True
            raise Transient(problem)
        if total is None:
            return self.size
        if self.size not in (None, total):
            raise Altered(f"it has {total} bytes, expected {self.size}")
        return total

    def _receive(self, answer: Answer, offset: int, total: int | None) -> None:
        """Write an answer's bytes behind the first ``offset`` bytes of the part file."""
        bound = LARGEST if total is None else total
        bar = tqdm(
            total=total,
            initial=offset,
            unit="B",
            unit_scale=True,
            desc=self.part.stem,
            disable=None if self.transfer.progress else True,  # None: only where it is no terminal
        )
        with bar, open(self.part, "ab" if offset else "wb") as writer:
            for chunk in answer.chunks:
                writer.write(chunk)
                bar.update(len(chunk))
                if writer.tell() > bound:
                    raise Altered(f"it is longer than {bound} bytes")
        sync(self.part)


def _require_space(folder: Path, need: int) -> None:
    free = shutil.disk_usage(folder).free
    if need > free:
        raise InputError(
            folder,
            f"{need} bytes are needed and {free} are free",
            "make room or choose another folder",
        )
