"""A line every half minute that says how far a training is, for people who read its log."""

import contextlib
import sys
import time
from pathlib import Path

EVERY = 30.0  # seconds between two lines


class Heartbeat:
    """A callable for the loop's ``log``: it prints step, loss, rate and time left.

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
