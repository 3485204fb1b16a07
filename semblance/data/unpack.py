"""Single members out of zip and tar archives, without trusting the archive.

A member's name never becomes a path: the caller says which member it wants and where it goes.
"""

import lzma
import os
import stat
import tarfile
import zipfile
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Iterator

from semblance.errors import InputError

CHUNK = 1 << 20
DAMAGE = (zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError, RuntimeError, OSError)


def extract(archive: Path, member: str, target: Path, limit: int) -> None:
    """Write one regular-file member of at most ``limit`` bytes to ``target``, whole or not at all.

    Raises InputError if it is absent, a link, longer than the limit, encrypted or damaged.
    """
    part = target.with_name(target.name + ".part")
    target.parent.mkdir(parents=True, exist_ok=True)
    with _opened(archive, member) as reader, open(part, "wb") as writer:
        _copy(reader, writer, limit, archive, member)
    os.replace(part, target)


def _copy(reader: BinaryIO, writer: BinaryIO, limit: int, archive: Path, member: str) -> None:
    while chunk := _read(reader, archive, member):
        if writer.tell() + len(chunk) > limit:
            raise InputError(archive, f"member {member} is longer than {limit} bytes")
        writer.write(chunk)
    writer.flush()
    os.fsync(writer.fileno())


def _read(reader: BinaryIO, archive: Path, member: str) -> bytes:
    try:
        return reader.read(CHUNK)
    except DAMAGE as error:
        raise InputError(archive, f"member {member} is damaged: {error}",
                         "delete the archive and fetch it again") from None


@contextmanager
def _opened(archive: Path, member: str) -> Iterator[BinaryIO]:
    opener = _zip_member if zipfile.is_zipfile(archive) else _tar_member
    try:
        box, stream = opener(archive, member)
    except KeyError:
        raise InputError(archive, f"no member {member}") from None
    except DAMAGE as error:
        raise InputError(archive, f"cannot open member {member}: {error}") from None
    with box, stream:
        yield stream


def _zip_member(archive: Path, member: str) -> tuple[zipfile.ZipFile, BinaryIO]:
    box = zipfile.ZipFile(archive)
    info = box.getinfo(member)
    mode = stat.S_IFMT(info.external_attr >> 16)
    if info.is_dir() or mode not in (0, stat.S_IFREG):
        raise InputError(archive, f"member {member} is not a regular file")
    return box, box.open(info)


def _tar_member(archive: Path, member: str) -> tuple[tarfile.TarFile, BinaryIO]:
    box = tarfile.open(archive, "r:*")
    info = box.getmember(member)
    if not info.isreg():
        raise InputError(archive, f"member {member} is not a regular file")
    return box, box.extractfile(info)
