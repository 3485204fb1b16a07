"""Single members out of zip and tar archives, without trusting the archive.

A member's name never becomes a path: the caller says which member it wants and where it goes.
"""

import bz2
import gzip
import io
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
from semblance.files import open_regular, whole_file

CHUNK = 1 << 20  # bytes
MOST_MEMBERS = 100_000  # of a tar; the releases that we know have up to some hundred
MOST_DIRECTORY = 1 << 22  # bytes of a zip's list of members: some 90,000 of them
MOST_HEADER = 1 << 14  # bytes of a long name, or of other facts, before a member of a tar
# A tar of texts becomes 3 to 5 times smaller. What becomes smaller than 1/200 is a bomb.
MOST_PACKED = 200
ALWAYS_UNPACKED = 1 << 26  # bytes that a tar may hold whatever the archive's size
# What reading a damaged archive raises; the last three come from headers that state impossible values.
DAMAGE = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, RuntimeError),
    *(OSError, ValueError, OverflowError, struct.error),
)


def extract(archive: Path, member: str, target: Path, limit: int) -> None:
    """Write one regular-file member of at most ``limit`` bytes to ``target``, whole or not at all.

    Raises InputError if it is absent, there twice, a link, longer than the limit, encrypted or
    damaged, and for an archive that would take far more memory or time than its size promises.
    """
    with whole_file(target) as part, open(part, "wb") as writer:
        for chunk in _read_member(archive, member):
            if writer.tell() + len(chunk) > limit:
                raise InputError(archive, f"member {member} is longer than {limit} bytes")
            writer.write(chunk)


def _read_member(archive: Path, member: str) -> Iterator[bytes]:
    """Yield the content of a member; an error of the caller's own is not seen here."""
    read = _read_from_tar
    try:
        with open_regular(archive) as stream:
            if zipfile.is_zipfile(stream):
                read = _read_from_zip
            stream.seek(0)
            yield from read(stream, archive, member)
    except DAMAGE as error:
        if is_transient(error):  # the machine lacks room or memory; the archive may be good
            raise
        problem = f"cannot open member {member}: {error}"
        raise InputError(archive, problem, "delete the archive and fetch it again") from None


def _read_from_zip(stream: BinaryIO, archive: Path, member: str) -> Iterator[bytes]:
    with zipfile.ZipFile(_Directory(stream)) as box:
        found = [info for info in box.infolist() if info.filename == member]
        _require_one(len(found), archive, member)
        mode = stat.S_IFMT(found[0].external_attr >> 16)  # zero where the writer knew no Unix
        if found[0].is_dir() or mode not in (0, stat.S_IFREG):
            raise InputError(archive, f"member {member} is not a regular file")
        with box.open(found[0]) as content:
            yield from iter(partial(content.read, CHUNK), b"")


def _read_from_tar(stream: BinaryIO, archive: Path, member: str) -> Iterator[bytes]:
    """Yield the content of a member, then look on: another of the same name is refused."""
    times = 0
    with tarfile.open(fileobj=_Unpacked(stream), mode="r|", tarinfo=_Member) as box:
        for number, info in enumerate(box):
            if number == MOST_MEMBERS:
                raise InputError(archive, f"more than {MOST_MEMBERS:,} members")
            if info.name == member:
                times += 1
                _require_one(times, archive, member)
                if not info.isreg():
                    raise InputError(archive, f"member {member} is not a regular file")
                yield from iter(partial(box.extractfile(info).read, CHUNK), b"")
    _require_one(times, archive, member)


def _require_one(times: int, archive: Path, member: str) -> None:
    if not times:
        raise InputError(archive, f"no member {member}")
    if times > 1:
        raise InputError(archive, f"member {member} stands in it more than once")


class _Directory(io.BufferedReader):
    """A zip file; zipfile reads its list of members at once, however long the file says it is."""

    def read(self, size: int | None = -1) -> bytes:
        """Return up to ``size`` bytes; BadZipFile if it is more than any list of ours has."""
        if size is not None and size > MOST_DIRECTORY:
            raise zipfile.BadZipFile(f"a list of members of {size:,} bytes")
        return super().read(size)


class _Unpacked:
    """What a tar file unpacks to, read forward only, and bounded by the bytes read so far."""

    def __init__(self, packed: BinaryIO):
        self._packed = packed
        self._content = _decompressor(packed)
        self._size = 0

    def read(self, size: int) -> bytes:
        """Return up to ``size`` bytes; ReadError if so few packed bytes cannot hold so much."""
        content = self._content.read(size)
        self._size += len(content)
        packed = self._packed.tell()
        if self._size > ALWAYS_UNPACKED + MOST_PACKED * packed:
            raise tarfile.ReadError(f"{self._size:,} bytes unpacked from {packed:,}")
        return content


def _decompressor(packed: BinaryIO) -> BinaryIO:
    start = packed.read(6)
    packed.seek(0)
    if start.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=packed)
    if start.startswith(b"BZh"):
        return bz2.BZ2File(packed)
    if start.startswith(b"\xfd7zXZ\0"):
        return lzma.LZMAFile(packed)
    return packed


class _Member(tarfile.TarInfo):
    """The header of a member; tarfile reads a long name at once, however long the header says."""

    LONG = (
        tarfile.GNUTYPE_LONGNAME,
        tarfile.GNUTYPE_LONGLINK,
        tarfile.XHDTYPE,
        tarfile.XGLTYPE,
        tarfile.SOLARIS_XHDTYPE,
    )

    @classmethod
    def frombuf(cls, buf: bytes, encoding: str, errors: str) -> tarfile.TarInfo:
        """Decode a block of the archive; ReadError for a header that would be read at once."""
        info = super().frombuf(buf, encoding, errors)
        if info.type in cls.LONG and info.size > MOST_HEADER:
            raise tarfile.ReadError(f"a header of {info.size:,} bytes")
        if info.type == tarfile.GNUTYPE_SPARSE:
            raise tarfile.ReadError("a file with holes")
        return info
