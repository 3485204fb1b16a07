"""How far a run is, on the terminal; what Snakemake and its jobs print goes to the run's log.

Jobs inherit the standard streams of the process that starts them. So these become the log, and only
``sys.stderr``, to which this project prints, stays the terminal. Of Snakemake's own lines warnings and
errors are shown there. Where the user asks for its lines, as with ``--verbose``, none of this happens.
"""

import atexit
import contextlib
import logging
import os
import re
import sys
import time
from pathlib import Path
from threading import Event, Lock, Thread

from snakemake.common import NOTHING_TO_BE_DONE_MSG
from snakemake.logging import logger
from snakemake_interface_logger_plugins.common import LogEvent

from semblance.errors import InputError
from workflow.planning.stages import Job
from workflow.run import private
from workflow.run.command import Command
from workflow.run.started import read_start
from workflow.run.status import Status, look
from workflow.run.status_page import describe, in_one_line, on_screen

LOG = "logs/run.log"  # below the output folder
MINUTE = 60.0  # seconds between two lines in a file
SHARE = 10  # times as long as a look takes, at least, until the next one on a terminal
FRAME = re.compile(r'WorkflowError in file|  File "')  # where in our own rules a run was stopped
OF_JOBS = (LogEvent.JOB_ERROR, LogEvent.GROUP_ERROR)
SHOWN = (NOTHING_TO_BE_DONE_MSG, *private.STOPPING)


class Screen(logging.Handler):
    """The terminal of a run: a line for each stage; in a file, a line a minute.

    ``jobs`` are those that the run makes, by Snakemake's latest plan.
    """

    def __init__(self, out: str, asked: Command):
        super().__init__()
        self.out = out
        self.jobs: list[Job] = []
        self.said: set[str] = set()
        self.drawing = Lock()
        self.ended = Event()
        self.live = None  # of rich, on a terminal
        self.is_interrupted = False  # by Ctrl-C, which ends the jobs, too
        is_wanted = asked.starts_jobs and not (asked.lists_jobs or asked.touches)
        with contextlib.suppress(OSError):  # a full disk: then the terminal gets all, and says so
            if is_wanted:
                _give_streams_to(Path(out, LOG))
                private.uncolour(logger)
                logger.addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Show a warning or an error of Snakemake's; what it says of jobs, the events say, too."""
        text = record.getMessage()
        self.is_interrupted |= text.startswith(private.BY_USER)
        is_of_job = getattr(record, "event", None) in OF_JOBS
        is_of_job |= any(words in text for words in private.FAILED)
        if not is_of_job and (record.levelno >= logging.WARNING or text.startswith(SHOWN)):
            self._say("\n".join(line for line in text.splitlines() if not FRAME.match(line)))

    def _say(self, text: str) -> None:
        if text not in self.said:  # executors repeat themselves for each job
            self.said.add(text)
            print(text, file=sys.stderr)

    def begin(self, these: list[Job]) -> None:
        """Follow a run that makes these jobs, until its end."""
        if self not in logger.handlers:
            return
        print(f"log: {self.out}/{LOG} has what Snakemake and its jobs print", file=sys.stderr)
        self.jobs = these
        if sys.stderr.isatty():
            self.live = _live()
        atexit.register(self.end)
        Thread(target=self._follow, daemon=True).start()

    def end(self) -> None:
        """Draw the last state, and show nothing more."""
        logger.removeHandler(self)
        with self.drawing:
            if self.jobs and not self.ended.is_set():
                self._draw()
                self.ended.set()
                if self.live:
                    self.live.stop()

    def _follow(self) -> None:
        pause = 1.0 if self.live else MINUTE
        while not self.ended.wait(pause):
            began = time.monotonic()
            with self.drawing:
                if not self.ended.is_set():
                    self._draw()
            if self.live:
                pause = max(1.0, SHARE * (time.monotonic() - began))

    def _draw(self) -> None:
        try:
            status = look(read_start(self.out), self.jobs)
        except (InputError, OSError, ValueError, LookupError):  # files that are being written
            return
        for job in status.jobs:
            if job.state == "failed" and not self.is_interrupted:
                self._say(f"failed: {describe(job)}")
        line = in_one_line(status)
        if self.live is None:
            print(line, file=sys.stderr)
        else:
            self.live.update(_fitted(status, self.live.console.height), refresh=True)


def _give_streams_to(path: Path) -> None:
    """Let this process and its children print into a log; only ``sys.stderr`` stays what it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    sys.stdout.flush()
    with open(path, "ab") as log:
        kept = os.fdopen(os.dup(2), "w", buffering=1, errors="backslashreplace")
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    sys.stderr = kept


def _fitted(status: Status, height: int):
    """Return what a terminal of so many lines shows."""
    from rich.text import Text

    return Text("\n".join(on_screen(status, height)), no_wrap=True, overflow="ellipsis")


def _live():
    """Return what redraws the table on the terminal, and lets what is printed stand above it."""
    from rich.console import Console
    from rich.live import Live

    live = Live(console=Console(file=sys.stderr), auto_refresh=False, redirect_stdout=False)
    live.start()
    live.console.show_cursor()  # a kill would leave it hidden
    return live
