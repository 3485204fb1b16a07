"""Files and folders that are whole or absent: every artefact is written through this module.

Content is written under a temporary name beside its target, synced, renamed, and the folder synced,
so that no reader ever sees half of a file, also after a power cut. A write that fails leaves what
was there before; the next write overwrites a temporary that a kill left. Standard library only.
"""

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def whole_file(path: str | os.PathLike) -> Iterator[Path]:
    """Yield a temporary path to write; it becomes ``path`` if the block ends without an error."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = _temporary(path)
    try:
        yield temporary
        sync(temporary)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):  # the first error is the one to report
            temporary.unlink(missing_ok=True)
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


def _remove(folder: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(folder)


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.name}.part")
