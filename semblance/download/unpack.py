"""Single members out of zip and tar archives, without trusting the archive.

A member's name never becomes a path: the caller says which member it wants and where it goes.
"""

import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from semblance.errors import InputError, is_passing
from semblance.files import whole_file

CHUNK = 1 << 20
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
)  # the last three from headers that state nonsense


def extract(archive: Path, member: str, target: Path, limit: int) -> None:
    """Write one regular-file member of at most ``limit`` bytes to ``target``, whole or not at all.

    Raises InputError if it is absent, there twice, a link, longer than the limit, encrypted or damaged.
    """
    with _opened(archive, member) as reader, whole_file(target) as part, open(part, "wb") as writer:
        _copy(reader, writer, limit, archive, member)


def _copy(reader: BinaryIO, writer: BinaryIO, limit: int, archive: Path, member: str) -> None:
    while chunk := _read(reader, archive, member):
        if writer.tell() + len(chunk) > limit:
            raise InputError(archive, f"member {member} is longer than {limit} bytes")
        writer.write(chunk)


def _read(reader: BinaryIO, archive: Path, member: str) -> bytes:
    try:
        return reader.read(CHUNK)
    except DAMAGE as error:
        if is_passing(error):
            raise
        raise InputError(
            archive, f"member {member} is damaged: {error}", "delete the archive and fetch it again"
        ) from None


@contextmanager
def _opened(archive: Path, member: str) -> Iterator[BinaryIO]:
    with ExitStack() as stack:
        try:
            if zipfile.is_zipfile(archive):
                box = stack.enter_context(zipfile.ZipFile(archive))
            else:
                box = stack.enter_context(tarfile.open(archive))
            stream = stack.enter_context(_member(box, archive, member))
        except DAMAGE as error:
            if is_passing(error):
                raise
            raise InputError(archive, f"cannot open member {member}: {error}") from None
        yield stream


def _member(box: zipfile.ZipFile | tarfile.TarFile, archive: Path, member: str) -> BinaryIO:
    is_zip = isinstance(box, zipfile.ZipFile)
    infos = box.infolist() if is_zip else box.getmembers()
    found = [info for info in infos if (info.filename if is_zip else info.name) == member]
    if len(found) != 1:
        raise InputError(
            archive,
            f"member {member} stands {len(found)} times in it" if found else f"no member {member}",
        )
    if not (_is_regular(found[0]) if is_zip else found[0].isreg()):
        raise InputError(archive, f"member {member} is not a regular file")
    return box.open(found[0]) if is_zip else box.extractfile(found[0])


def _is_regular(info: zipfile.ZipInfo) -> bool:
    mode = stat.S_IFMT(info.external_attr >> 16)  # zero where the writer knew no Unix
    return not info.is_dir() and mode in (0, stat.S_IFREG)
