"""A finished training's outputs, kept once more as hard links: a workflow may delete the outputs themselves.

Snakemake does so when its controller died before it noted the job's end, and to all jobs of a group
of which one failed. A hard link costs no room while the output exists, and stays when that is
deleted. Whatever writes outputs gives a new file the old name (``semblance.files``), so what is
linked never changes.
"""

import contextlib
import errno
import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from semblance.errors import InputError, is_passing
from semblance.files import copy_file, sync, whole_folder
from semblance.provenance import checked

RECORD = "record.json"
MODEL = "model"
NO_LINKS = frozenset(
    {errno.EPERM, errno.EACCES, errno.EXDEV, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}
)


def keep(out: Path, names: Iterable[str], finished: Path) -> bool:
    """Link the outputs ``names`` of ``out``, and their record, under ``finished``; say whether that was possible."""
    try:
        with whole_folder(finished) as temporary:
            for folder in filter(
                Path.is_dir, (out / MODEL).rglob("*")
            ):  # a module without files is an empty folder
                (temporary / folder.relative_to(out)).mkdir(parents=True, exist_ok=True)
            for name in (*names, RECORD):
                (temporary / name).parent.mkdir(parents=True, exist_ok=True)
                os.link(out / name, temporary / name)
    except OSError:  # no links here, or no room: the outputs are whole, and that is what counts
        return False
    return True


def put_back(finished: Path, out: Path) -> bool:
    """Give ``out`` what ``keep`` kept; say whether there was any. What is damaged is removed with a warning."""
    if not finished.is_dir() or not _whole(finished):
        return False
    (out / RECORD).unlink(missing_ok=True)  # it would vouch for what goes now
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(out / MODEL)
    for path in sorted(finished.rglob("*")):
        target = out / path.relative_to(finished)
        if path.is_dir():
            target.mkdir(exist_ok=True)
        elif path.name != RECORD:
            _give(path, target)
    for folder in [out / MODEL, *filter(Path.is_dir, (out / MODEL).rglob("*"))]:
        sync(folder)
    _give(finished / RECORD, out / RECORD)
    sync(out)
    return True


def _whole(finished: Path) -> bool:
    try:
        checked(finished / RECORD)
    except (InputError, OSError) as error:
        if is_passing(error):  # the disk could not be read just now: not a reason to start anew
            raise
        print(f"warning: finished training passed over: {error}", file=sys.stderr)
        shutil.rmtree(finished, ignore_errors=True)
        return False
    return True


def _give(source: Path, target: Path) -> None:
    target.unlink(missing_ok=True)
    try:
        os.link(source, target)
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        copy_file(source, target)
    os.utime(target)  # as new as if just written: Snakemake compares it with the inputs'
