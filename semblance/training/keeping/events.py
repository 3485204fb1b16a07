"""TensorBoard events of one training: for looking at, so a failure to write them ends nothing."""

import os
import sys
import time
from pathlib import Path

FLUSH = 5.0  # seconds between writes to the disk


class Events:
    """A callable for the loop's ``log``: it writes events, or gives up with one warning.

    It writes in the training's own thread, below ``folder``.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self.writer = None
        self.flushed = 0.0  # when the events last went to the disk

    def __enter__(self) -> "Events":
        from tensorboard.summary.writer.record_writer import RecordWriter

        # TensorBoard joins the files of a folder: one for each start of the training.
        name = f"events.out.tfevents.{time.time():.6f}.{os.getpid()}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self.writer = RecordWriter(open(self.folder / name, "wb"))
            self._write(file_version="brain.Event:2")
        except OSError as error:
            self._give_up(error)
        return self

    def __call__(self, event: dict) -> None:
        """Note each value of ``event`` under its name at ``event['step']``."""
        from tensorboard.compat.proto.summary_pb2 import Summary

        values = [
            Summary.Value(tag=name, simple_value=event[name])
            for name in ("loss", "learning_rate", "dev")
            if name in event
        ]
        try:
            self._write(step=event["step"], summary=Summary(value=values))
        except OSError as error:
            self._give_up(error)

    def _write(self, **facts: object) -> None:
        from tensorboard.compat.proto.event_pb2 import Event

        if self.writer is None:
            return
        self.writer.write(Event(wall_time=time.time(), **facts).SerializeToString())
        if time.monotonic() - self.flushed > FLUSH:
            self.writer.flush()
            self.flushed = time.monotonic()

    def _give_up(self, error: OSError) -> None:
        print(f"warning: no more TensorBoard events: {error}", file=sys.stderr)
        self.writer = None

    def __exit__(self, *failure: object) -> None:
        try:
            if self.writer is not None:
                self.writer.close()
        except OSError as error:
            self._give_up(error)
