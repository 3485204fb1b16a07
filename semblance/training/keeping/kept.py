"""Everything that keeps a training safe, behind one context manager.

One writer for the output folder, the result of a finished training, step checkpoints, TensorBoard
events and the final record. What is trained, and how, stands in ``training.run``.
"""

import contextlib
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from semblance.layout import RECORD
from semblance.locks import Lease, exclusive
from semblance.provenance import Record, canonical, environment, text_digest, write_record
from semblance.training.keeping import finished
from semblance.training.keeping.checkpoint import Cadence, Checkpoints
from semblance.training.keeping.log import Events, Heartbeat


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
        if not finished.put_back(self.checkpoints.finished, self.output, origin, records):
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
        kept = finished.keep(self.output, outputs, checkpoints.finished)
        checkpoints.clear(but=checkpoints.finished if kept else None)


@contextlib.contextmanager
def kept_training(output: str | Path, cadence: Cadence) -> Iterator[KeptTraining]:
    """Keep a training that writes ``output``: killed at any moment, the next start goes on.

    Raises Busy where another process trains into ``output``.
    """
    with exclusive(output) as lease:
        yield KeptTraining(output, cadence, lease)
