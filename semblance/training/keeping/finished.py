"""A finished training's outputs, kept a second time as hard links.

A workflow may delete the outputs themselves: Snakemake does so when its controller died before it
noted the job's end, and for all jobs of a group of which one failed. A hard link takes no room
while the output exists, and stays when the output is deleted. What is linked never changes, since
every new file takes its name by renaming (``semblance.files``).
"""

import contextlib
import errno
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from semblance.errors import InputError, is_transient
from semblance.files import copy_file, sync, whole_folder
from semblance.layout import RECORD
from semblance.locks import Lease, exclusive
from semblance.models.saved import FOLDER as MODEL
from semblance.provenance import (
    Record,
    canonical,
    checked,
    circumstances_file,
    environment,
    input_digests,
    linked,
    read_sealed,
    settings_digest,
    text_digest,
    write_record,
    write_sealed,
)
from semblance.training.keeping.checkpoint import Cadence, Checkpoints
from semblance.training.keeping.log import Events, Heartbeat

NO_LINKS = frozenset(
    {errno.EPERM, errno.EACCES, errno.EXDEV, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}
)


def keep(out: Path, names: Iterable[str], finished: Path) -> bool:
    """Link the outputs ``names`` of ``out``, and their record, below ``finished``.

    Returns False where that was not possible. The outputs themselves are whole in any case.
    """
    try:
        with whole_folder(finished) as temporary:
            for folder in (out / MODEL).rglob("*/"):  # a module without files is an empty folder
                (temporary / folder.relative_to(out)).mkdir(parents=True, exist_ok=True)
            for name in (*names, RECORD, circumstances_file(RECORD)):
                (temporary / name).parent.mkdir(parents=True, exist_ok=True)
                os.link(out / name, temporary / name)
    except OSError:  # the file system has no links, or no room
        return False
    return True


def put_back(finished: Path, out: Path, origin: dict[str, Any], records: dict[str, Record]) -> bool:
    """Give ``out`` what ``keep`` kept, and return True; return False if nothing whole was kept.

    ``origin`` is what the record must say; ``records`` are those of the inputs, to which it will be
    linked: they may have been written anew, of the same files, and the same settings be spelled in
    other words. Damaged files are removed with a warning, and so is the copy of another training.
    """
    if not finished.is_dir() or not _is_whole(finished, origin):
        return False
    record = read_sealed(finished / RECORD)
    inputs = linked(out / RECORD, origin["inputs"], records)
    now = record | {"inputs": inputs, "given": settings_digest(sys.argv)}
    if record != now:
        write_sealed(finished / RECORD, now)
    (out / RECORD).unlink(missing_ok=True)  # it lists the digests of files that are replaced now
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(out / MODEL)
    for path in sorted(finished.rglob("*")):
        target = out / path.relative_to(finished)
        if path.is_dir():
            target.mkdir(exist_ok=True)
        elif path.name != RECORD:
            _link_or_copy(path, target)
    if (out / MODEL).is_dir():  # an output of each training but those of a curve
        for folder in [out / MODEL, *(out / MODEL).rglob("*/")]:
            sync(folder)
    _link_or_copy(finished / RECORD, out / RECORD)
    sync(out)
    return True


def _is_whole(finished: Path, origin: dict[str, Any]) -> bool:
    """Tell whether all files are as they were kept; remove them with a warning if not."""
    try:
        record = checked(finished / RECORD)
        said = {name: record.get(name) for name in origin} | {"inputs": input_digests(record)}
        if canonical(said) != canonical(origin):
            raise InputError(finished / RECORD, "the record of another training")
    except (InputError, OSError) as error:
        if is_transient(error):  # the disk could not be read just now: no reason to train again
            raise
        print(f"warning: finished training passed over: {error}", file=sys.stderr)
        shutil.rmtree(finished, ignore_errors=True)
        return False
    return True


def _link_or_copy(source: Path, target: Path) -> None:
    target.unlink(missing_ok=True)
    try:
        os.link(source, target)
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        copy_file(source, target)
    os.utime(target)  # as new as if just written: Snakemake compares it with the inputs


class KeptTraining:
    """The output folder of one training, which no other process writes meanwhile."""

    def __init__(self, output: str | Path, cadence: Cadence, lease: Lease):
        self.output = Path(output)
        self._cadence = cadence
        self._lease = lease
        self._started = time.monotonic()

    def already_finished(self, origin: dict[str, Any], records: dict[str, Record]) -> bool:
        """Put the outputs back and return True if this training was finished before.

        ``origin`` is all that decides the result, besides the environment. ``records`` are those of
        the inputs, which do not decide it. Must be called before all else.
        """
        self._origin = origin
        self._records = records
        identity = text_digest(canonical([origin, environment()]))
        root = self.output / "checkpoints"
        self.checkpoints = Checkpoints(root, identity, self._cadence, self._lease)
        if not put_back(self.checkpoints.finished, self.output, origin, records):
            return False
        print("already trained: its outputs are put back", file=sys.stderr)
        self.checkpoints.clear(but=self.checkpoints.finished)
        return True

    @contextlib.contextmanager
    def log(self, steps: int) -> Iterator[Callable[[dict], None]]:
        """Yield the log of a training of ``steps``: TensorBoard events, and lines for people."""
        folder = self.output / "events"
        if not self.checkpoints.any():
            shutil.rmtree(folder, ignore_errors=True)  # the curves of another training
        heartbeat = Heartbeat(self.output, steps)
        with Events(folder) as events:

            def note(event: dict) -> None:
                """Write an event down in both."""
                events(event)
                heartbeat(event)

            try:
                yield note
            finally:
                heartbeat.print_line()

    def check_writer(self) -> None:
        """Raise Busy if another process has taken the folder over; to be called before a write."""
        self._lease.check()

    def finish(self, stage: str, outputs: list[str], facts: dict[str, Any]) -> None:
        """Write the record with these ``facts``, last of all; then remove the checkpoints."""
        checkpoints = self.checkpoints
        write_record(
            self.output / RECORD,
            stage,
            outputs=outputs,
            started=self._started - checkpoints.seconds_before,
            attempts=checkpoints.attempts,
            records=self._records,
            **self._origin,
            **facts,
        )
        kept = keep(self.output, outputs, checkpoints.finished)
        checkpoints.clear(but=checkpoints.finished if kept else None)


@contextlib.contextmanager
def kept_training(output: str | Path, cadence: Cadence) -> Iterator[KeptTraining]:
    """Keep a training that writes ``output``: killed at any moment, the next start goes on.

    Raises Busy where another process trains into ``output``.
    """
    with exclusive(output) as lease:
        yield KeptTraining(output, cadence, lease)
