"""The raw files of data sets: from a mirror, their addresses or their archives, each as pinned."""

import lzma
import shutil
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, TypeVar

from semblance.errors import InputError, is_transient
from semblance.fetch.manifest import HOW_TO_FILL, Dataset, File, Pin, below, found_entry, is_url
from semblance.fetch.web import Unavailable, ask_address, take
from semblance.files import open_regular, whole_file

# What reading a damaged archive raises; the last three come from headers that state impossible values.
DAMAGE = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, RuntimeError),
    *(OSError, ValueError, OverflowError, struct.error),
)
T = TypeVar("T")


def fetch_dataset(
    dataset: Dataset, destination: str | Path, mirror: str | Path | None = None
) -> dict:
    """Fetch a data set's files into ``destination``; return ``{"files": {path: {sha256, size}}}``.

    Raises InputError; nothing half-written takes a file's place.
    """
    folder = Path(destination)
    for file in dataset.downloads:
        fetch_file(file, folder, mirror, dataset.homepage)
    for archive in dataset.archives:
        for name, path in archive.members.items():
            extract(folder / archive.path, name, folder / path)
    return {"files": {path: found_entry(folder / path) for path in dataset.paths()}}


def fetch_file(
    file: File, folder: Path, mirror: str | Path | None = None, homepage: str | None = None
) -> None:
    """Fetch one file, unless it is there as pinned; InputError says why no place has it.

    A file without a digest must have the one that its hub states; one of the user's mirror is trusted.
    """
    target = folder / file.path

    def take_from(place: str) -> None:
        """Take the file from one place."""
        is_unknown = not file.pin.has_digest and mirror is None
        take(place, target, ask_place(file, place, mirror) if is_unknown else file.pin)

    if file.pin.holds(target):
        return
    try:
        from_places(file, mirror, take_from)
    except Unavailable as reason:
        advice = f"see {homepage}; {HOW_TO_FILL}" if homepage else HOW_TO_FILL
        raise InputError(file.path, str(reason), advice) from None


def from_places(file: File, mirror: str | Path | None, use: Callable[[str], T]) -> T:
    """Return what ``use`` makes of the first place that has a file; raise Unavailable if none has.

    With a ``mirror``, folder or address, no other place is asked.
    """
    problems = []
    for place in file.urls if mirror is None else [below(mirror, file.path)]:
        try:
            return use(place)
        except Unavailable as reason:
            problems.append(f"{place}: {reason}")
    raise Unavailable("; ".join(problems) or "it has no public address")


def ask_place(file: File, place: str, mirror: str | Path | None) -> Pin:
    """Return what a place states of a file, which is not fetched; raise Unavailable."""
    if not is_url(place):
        path = Path(place)
        raise Unavailable(file.pin.mismatch(path) if path.is_file() else "no such file")
    stated = ask_address(place)
    problem = file.pin.contradiction(stated)
    if mirror is None and not (file.pin.has_digest or stated.has_digest):
        problem = "no digest is stated there"
    if problem:
        raise Unavailable(problem)
    return stated


def extract(archive: Path, member: str, target: Path) -> None:
    """Write one member of an archive to ``target``, whole or not at all.

    The archive is the pinned one. A member's name never becomes a path. Raises InputError if it is
    absent, no file, encrypted or damaged.
    """
    try:
        with (
            open_regular(archive) as stream,
            _opened(stream, member) as source,
            whole_file(target) as part,
            open(part, "wb") as writer,
        ):
            shutil.copyfileobj(source, writer)
    except KeyError:
        raise InputError(archive, f"no member {member}") from None
    except DAMAGE as error:
        # The machine lacks room or memory, or may not write the target; the archive may be good.
        if is_transient(error) or getattr(error, "filename", None):
            raise
        problem = f"cannot open member {member}: {error}"
        raise InputError(archive, problem, "delete the archive and fetch it again") from None


def _opened(archive: BinaryIO, member: str) -> BinaryIO:
    if zipfile.is_zipfile(archive):
        return zipfile.ZipFile(archive).open(member)
    archive.seek(0)
    content = tarfile.TarFile.open(fileobj=archive).extractfile(member)
    if content is None:
        raise ValueError("it is not a regular file")
    return content
