"""What a training says on its way: curves for TensorBoard, and lines for people.

They are for looking at: a failure to write them ends nothing.
"""

import contextlib
import os
import sys
import time
from pathlib import Path

FLUSH = 5.0  # seconds between writes of events to the disk
EVERY = 30.0  # seconds between two lines


class Events:
    """Writes the loop's events below ``folder``, or gives up with one warning."""

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


class Heartbeat:
    """Prints step, loss, rate and time left.

    ``output`` names the training, since the lines of several may stand in one log. The loss is the
    mean since the line before. The rate counts from the first step of this process, evaluations
    included. On a terminal the progress bar says the same, and nothing is printed.
    """

    def __init__(self, output: Path, steps: int):
        self.output = output
        self.steps = steps
        self.step = 0
        self._began = time.monotonic()
        self._first_step: int | None = None  # the step that this process went on from
        self._printed_at = self._began
        self._losses: list[float] = []

    def __call__(self, event: dict) -> None:
        """Note an event of the loop; print a line if it is time."""
        if "loss" not in event:
            return
        if self._first_step is None:
            self._first_step = event["step"] - 1
        self.step = event["step"]
        self._losses.append(event["loss"])
        if time.monotonic() - self._printed_at >= EVERY:
            self.print_line()

    def print_line(self) -> None:
        """Print where the training is, unless no step was done since the line before."""
        if not self._losses or sys.stderr.isatty():
            return
        with contextlib.suppress(OSError):  # the reader of the log may be gone
            print(self._line(), file=sys.stderr, flush=True)
        self._printed_at = time.monotonic()
        self._losses.clear()

    def _line(self) -> str:
        loss = sum(self._losses) / len(self._losses)
        seconds = max(time.monotonic() - self._began, 1e-9)
        rate = (self.step - self._first_step) / seconds
        left = _duration((self.steps - self.step) / rate)
        return (
            f"{self.output}: step {self.step} of {self.steps}, loss {loss:.4g},"
            f" {rate:.3g} steps/s, {left} left"
        )


def _duration(seconds: float) -> str:
    """Return a time in hours and minutes, or in minutes and seconds below an hour."""
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s"
    return f"{minutes // 60} h {minutes % 60:02} min"
