"""Single members out of zip and tar archives, without trusting the archive.

A member's name never becomes a path: the caller says which member it wants and where it goes.
"""

import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Sized
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from semblance.errors import InputError, is_passing
from semblance.files import whole_file

CHUNK = 1 << 20  # bytes
# What reading a damaged archive raises; the last three come from headers that state impossible values.
DAMAGE = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    RuntimeError,
    OSError,
    ValueError,
    OverflowError,
    struct.error,
)


def extract(archive: Path, member: str, target: Path, limit: int) -> None:
    """Write one regular-file member of at most ``limit`` bytes to ``target``, whole or not at all.

    Raises InputError if it is absent, there twice, a link, longer than the limit, encrypted or damaged.
    """
    with _opened(archive, member) as reader, whole_file(target) as part, open(part, "wb") as writer:
        while chunk := _read_chunk(reader, archive, member):
            if writer.tell() + len(chunk) > limit:
                raise InputError(archive, f"member {member} is longer than {limit} bytes")
            writer.write(chunk)


def _read_chunk(reader: BinaryIO, archive: Path, member: str) -> bytes:
    try:
        return reader.read(CHUNK)
    except DAMAGE as error:
        if is_passing(error):  # the machine lacks room or memory; the archive may be good
            raise
        raise InputError(
            archive, f"member {member} is damaged: {error}", "delete the archive and fetch it again"
        ) from None


@contextmanager
def _opened(archive: Path, member: str) -> Iterator[BinaryIO]:
    """Open a member for reading."""
    with ExitStack() as stack:
        try:
            if zipfile.is_zipfile(archive):
                box = stack.enter_context(zipfile.ZipFile(archive))
                stream = _zip_member(box, archive, member)
            else:
                box = stack.enter_context(tarfile.open(archive))
                stream = _tar_member(box, archive, member)
            stack.enter_context(stream)
        except DAMAGE as error:
            if is_passing(error):
                raise
            raise InputError(archive, f"cannot open member {member}: {error}") from None
        yield stream


def _zip_member(box: zipfile.ZipFile, archive: Path, member: str) -> BinaryIO:
    found = [info for info in box.infolist() if info.filename == member]
    _require_one(found, archive, member)
    mode = stat.S_IFMT(found[0].external_attr >> 16)  # zero where the writer knew no Unix
    is_regular = not found[0].is_dir() and mode in (0, stat.S_IFREG)
    _require_regular(is_regular, archive, member)
    return box.open(found[0])


def _tar_member(box: tarfile.TarFile, archive: Path, member: str) -> BinaryIO:
    found = [info for info in box.getmembers() if info.name == member]
    _require_one(found, archive, member)
    _require_regular(found[0].isreg(), archive, member)
    return box.extractfile(found[0])


def _require_one(found: Sized, archive: Path, member: str) -> None:
    if not found:
        raise InputError(archive, f"no member {member}")
    if len(found) > 1:
        raise InputError(archive, f"member {member} stands {len(found)} times in it")


def _require_regular(is_regular: bool, archive: Path, member: str) -> None:
    if not is_regular:
        raise InputError(archive, f"member {member} is not a regular file")
