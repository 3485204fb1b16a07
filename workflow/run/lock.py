"""Which run may write where: one run for an output folder, and one that downloads at a time.

Both rights are leases (``semblance.locks``), which end with the process that has them. So no run
has to be unlocked after a kill, and Snakemake's own lock, a file that stays, is switched off
(profiles/default). The run of an output folder shuts out runs on folders above and below it, which
would delete or judge each other's files.
"""

import atexit
import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from semblance.layout import WITHOUT_RECORD
from semblance.locks import Busy, exclusive
from workflow.planning.stages import STAGES

NAME = ".controller"  # in an output folder
DOWNLOADING = ".downloading"  # in the folder of downloads
PATIENCE = 30.0  # seconds that a start waits for another run to leave the output folder
POLL = 0.2  # seconds between two tries
DEPTH = 4  # levels below an output folder at which another one is looked for
# What a run itself makes in its output folder; no other run's output lies there.
OWN = WITHOUT_RECORD | {
    Path(stage.record).parts[0] for stage in STAGES.values() if stage.work != "download"
}

_outputs = contextlib.ExitStack()  # the leases of this process, each until it ends
_downloads = contextlib.ExitStack()
atexit.register(_outputs.close)
atexit.register(_downloads.close)


def claim_output(folder: str | os.PathLike, seconds: float = PATIENCE) -> None:
    """Take an output folder for the rest of this process, and say if its last run was killed.

    Waits up to ``seconds`` for another run to leave it. Raises Busy, whose text names the folder
    and the process, for a living run on the folder, above it or below it.
    """
    out = Path(folder).resolve()
    deadline = time.monotonic() + seconds
    lease = None
    while lease is None:
        try:
            lease = _outputs.enter_context(exclusive(out, NAME))
        except Busy as busy:
            if time.monotonic() >= deadline:
                raise _refused(busy, out, out) from None
            time.sleep(POLL)
    for other in nested_with(out):
        try:
            # The folder of another user, which this run cannot write to, shuts it out of nothing.
            with contextlib.suppress(PermissionError), exclusive(other, NAME):
                pass
        except Busy as busy:
            _outputs.close()
            raise _refused(busy, other, out) from None
    if lease.killed_writer:
        earlier = f"an earlier run on {folder} ({lease.killed_writer}) was killed"
        print(f"note: {earlier}; this one goes on from what it left", file=sys.stderr)
        lease.killed_writer = ""  # said


def _refused(busy: Busy, place: Path, out: Path) -> Busy:
    where = f"{place}"
    if place != out:
        where = f"{place}, which lies above or below {out}"
    advice = "wait for it, or give this run an output folder apart from that one"
    return Busy(f"another run ({busy.writer}) works on {where}: {advice}")


def nested_with(out: Path) -> Iterator[Path]:
    """Yield the folders above and below ``out`` that are, or were, output folders of runs."""
    for folder in out.parents:
        if (folder / NAME).exists():
            yield folder
    for name, subfolders, files in os.walk(out):
        folder = Path(name)
        if NAME in files and folder != out:
            yield folder
        is_deepest = len(folder.relative_to(out).parts) == DEPTH
        subfolders[:] = [] if is_deepest else sorted({*subfolders} - OWN)


def claim_downloads(folder: str | os.PathLike) -> None:
    """Take the right to download into a folder; wait, with one line, while another run has it.

    A plan that is made afterwards takes over what the other run has downloaded. Does nothing for a
    folder that cannot be written to. Raises Busy in a Slurm job for a run outside of it.
    """
    try:
        _downloads.enter_context(exclusive(folder, DOWNLOADING, wait=True))
    except Busy:
        raise
    except OSError:
        return


def release_downloads() -> None:
    _downloads.close()
