"""Files and folders: written whole or not at all, read only if they are regular and not too large.

Content is written under a temporary name beside its target, synced, renamed, and the folder synced,
so that no reader ever sees half of a file, also after a power cut. A write that fails leaves what
was there before; the next write overwrites a temporary that a kill left.

A device or a pipe in the place of a file may never end, or may wait for ever: ``open_regular`` and
``require_regular`` refuse them. Standard library only.
"""

import contextlib
import csv
import errno
import io
import os
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from semblance.errors import InputError

MOST = 64 << 30  # bytes of any file; the largest of a run, a checkpoint, has a few GB
ADVICE = "check the path"
FULL = (errno.ENOSPC, errno.EDQUOT)


def open_regular(path: str | os.PathLike, most: int = MOST) -> BinaryIO:
    """Open a file for reading, in bytes.

    Raises InputError for what is no regular file (a folder, device, pipe or socket) and for a file
    of more than ``most`` bytes; FileNotFoundError if there is nothing.
    """
    # To open a pipe that nobody writes would wait for ever without O_NONBLOCK.
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        _require_bounded(path, os.fstat(handle), most)
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def require_regular(path: str | os.PathLike, most: int = MOST) -> None:
    """Raise what ``open_regular`` raises; for a file that a library opens by its name."""
    _require_bounded(path, os.stat(path), most)


def read_regular(path: str | os.PathLike, most: int) -> bytes:
    """Return the whole content of a regular file of at most ``most`` bytes."""
    with open_regular(path, most) as stream:
        content = stream.read(most + 1)
    if len(content) > most:  # it grew, or its file system does not know its size
        raise _too_large(path, most)
    return content


def _require_bounded(path: str | os.PathLike, found: os.stat_result, most: int) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise InputError(path, "not a regular file", ADVICE)
    if found.st_size > most:
        raise _too_large(path, most)


def _too_large(path: str | os.PathLike, most: int) -> InputError:
    return InputError(path, f"more than {most:,} bytes", ADVICE)


@contextlib.contextmanager
def whole_file(path: str | os.PathLike) -> Iterator[Path]:
    """Yield an empty file to write; it becomes ``path`` if the block ends without an error.

    Its mode is that of a new file, which follows the umask, also if a library writes another file
    in its place: safetensors makes files that their owner alone may read.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = _temporary(path)
    try:
        mode = _make_new(temporary)
        yield temporary
        if _mode(temporary) != mode:
            temporary.chmod(mode)
        sync(temporary)
        os.replace(temporary, path)
    except BaseException as error:
        with contextlib.suppress(OSError):  # the first error is the one to report
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno in FULL:
            # It may name no file, or the one that was copied.
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise
    sync(path.parent)


@contextlib.contextmanager
def whole_folder(path: str | os.PathLike) -> Iterator[Path]:
    """Yield an empty temporary folder; it replaces ``path`` if the block ends without an error."""
    path = Path(path)
    temporary = _temporary(path)
    _remove(temporary)
    temporary.mkdir(parents=True)
    try:
        yield temporary
        for found in [*temporary.rglob("*"), temporary]:
            sync(found)
        _remove(path)
        os.replace(temporary, path)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    sync(path.parent)


def write_text(path: str | os.PathLike, text: str) -> None:
    """Write a text file in UTF-8, whole or not at all."""
    with whole_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def copy_file(source: str | os.PathLike, path: str | os.PathLike) -> None:
    """Copy a file's content, whole or not at all."""
    with whole_file(path) as temporary:
        shutil.copyfile(source, temporary)


def sync(path: str | os.PathLike) -> None:
    """Wait until a file's content, or a folder's list of names, is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        # The error of fsync does not name the file.
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        os.close(handle)


def _make_new(path: Path) -> int:
    """Make an empty file in the place of one that a kill left; return its mode."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
    path.touch()
    return _mode(path)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _remove(folder: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(folder)


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.name}.part")


def rows_csv(columns: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Return the CSV of some rows, the columns in this order.

    No float is rounded: reading gives it again. A field is empty where a row lacks the column or
    holds None.
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
