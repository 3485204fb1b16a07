"""The raw files of data sets: from a mirror, their addresses or their archives, each as pinned."""

import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

from semblance.errors import InputError, is_transient
from semblance.fetch.manifest import LARGEST, Dataset, File, Pin, below, found_entry, is_url
from semblance.fetch.wanted import HOW_TO_FILL
from semblance.fetch.web import CHUNK, Unavailable, ask_address, take
from semblance.files import open_regular, whole_file

# What reading a damaged archive raises; the last three come from headers that state impossible values.
DAMAGE = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, RuntimeError),
    *(OSError, ValueError, OverflowError, struct.error),
)


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

    Each address is tried in turn; of a ``mirror``, folder or address, no other place is. A file
    without a digest must have the one that its hub states; one of the user's mirror is trusted.
    """
    target = folder / file.path
    if file.pin.holds(target):
        return
    problems = []
    for place in places(file, mirror):
        try:
            pin = file.pin
            if not pin.has_digest and mirror is None:
                pin = ask_place(file, place, mirror)
            return take(place, target, pin)
        except Unavailable as reason:
            problems.append(f"{place}: {reason}")
    advice = f"see {homepage}; {HOW_TO_FILL}" if homepage else HOW_TO_FILL
    raise InputError(file.path, "; ".join(problems) or "it has no public address", advice)


def places(file: File, mirror: str | Path | None) -> list[str]:
    """List where to look for a file, in order."""
    return list(file.urls) if mirror is None else [below(mirror, file.path)]


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


# --- archives -------------------------------------------------------------------------------------


def extract(archive: Path, member: str, target: Path, limit: int = LARGEST) -> None:
    """Write one regular-file member of at most ``limit`` bytes to ``target``, whole or not at all.

    A member's name never becomes a path. Raises InputError if it is absent, a link, longer than the
    limit, encrypted or damaged.
    """
    with whole_file(target) as part, open(part, "wb") as writer:
        for chunk in _read_member(archive, member):
            if writer.tell() + len(chunk) > limit:
                raise InputError(archive, f"member {member} is longer than {limit} bytes")
            writer.write(chunk)


def _read_member(archive: Path, member: str) -> Iterator[bytes]:
    """Yield the content of a member; an error of the caller's own is not seen here."""
    try:
        with open_regular(archive) as stream, _opened(stream) as box:
            if isinstance(box, zipfile.ZipFile):
                info = box.getinfo(member)
                mode = stat.S_IFMT(info.external_attr >> 16)  # zero where the writer knew no Unix
                is_regular = mode in (0, stat.S_IFREG) and not info.is_dir()
                read = box.open
            else:
                info = box.getmember(member)
                is_regular = info.isreg()
                read = box.extractfile
            if not is_regular:
                raise InputError(archive, f"member {member} is not a regular file")
            yield from iter(partial(read(info).read, CHUNK), b"")
    except KeyError:
        raise InputError(archive, f"no member {member}") from None
    except DAMAGE as error:
        if is_transient(error):  # the machine lacks room or memory; the archive may be good
            raise
        problem = f"cannot open member {member}: {error}"
        raise InputError(archive, problem, "delete the archive and fetch it again") from None


def _opened(stream: BinaryIO) -> zipfile.ZipFile | tarfile.TarFile:
    if zipfile.is_zipfile(stream):
        return zipfile.ZipFile(stream)
    stream.seek(0)
    return tarfile.open(fileobj=stream)
