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
from collections import Counter
from pathlib import Path
from threading import Event, Lock, Thread
from typing import NamedTuple

from snakemake.common import NOTHING_TO_BE_DONE_MSG
from snakemake.logging import logger
from snakemake_interface_logger_plugins.common import LogEvent

from semblance.counts import duration
from semblance.errors import InputError
from workflow.controller import events, private
from workflow.controller.command import Command
from workflow.planning.stages import STAGES, Job, log

LOG = "logs/run.log"  # below the output folder
SECOND = 1  # between two looks at the events
MINUTE = 60  # seconds between two lines in a file, and between two looks at the time left
FRAME = re.compile(r'WorkflowError in file|  File "')  # where in our own rules a run was stopped
OF_JOBS = (LogEvent.JOB_ERROR, LogEvent.GROUP_ERROR)
SHOWN = (NOTHING_TO_BE_DONE_MSG, *private.STOPPING)
ALL = "in all"
BAR = 12  # characters


class Row(NamedTuple):
    """How many jobs of a stage, or of all, are done; ``left``: seconds, None while not known."""

    name: str
    jobs: int
    done: int
    running: int
    failed: int
    left: float | None


class Screen(logging.Handler):
    """The terminal of a run: a line for each stage; in a file, a line a minute."""

    def __init__(self, out: str, asked: Command):
        super().__init__()
        self.out = out
        self.jobs: list[Job] = []
        self.left: dict[str, float | None] = {}
        self.drawing = Lock()
        self.ended = Event()
        self.begun = "submitted" if asked.submits else "running"  # it may wait in a queue
        self.live = None  # of rich, on a terminal
        self.said: set[str] = set()
        is_wanted = asked.starts_jobs and not (asked.lists_jobs or asked.touches)
        with contextlib.suppress(OSError):  # a full disk: then the terminal gets all, and says so
            if is_wanted:
                _give_streams_to(Path(out, LOG))
                private.uncolour(logger)
                logger.addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Show a warning or an error of Snakemake's; those of jobs are counted instead."""
        text = record.getMessage()
        if _is_of_job(record) or record.levelno < logging.WARNING and not text.startswith(SHOWN):
            return
        text = "\n".join(line for line in text.splitlines() if not FRAME.match(line))
        if text not in self.said:  # executors repeat themselves for each job
            self.said.add(text)
            print(text, file=sys.stderr)

    def begin(self, these: list[Job]) -> None:
        """Follow a run that makes these jobs, until its end."""
        if self not in logger.handlers:
            return
        print(f"log: {self.out}/{LOG} has what Snakemake and its jobs print", file=sys.stderr)
        self.jobs = these
        self.began = time.monotonic()
        self.history = events.History(self.out)
        self.told: list[events.Event] = []
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
        looked = 0
        while not self.ended.wait(SECOND):
            passed = int(time.monotonic() - self.began) // MINUTE
            if is_due := passed > looked:
                looked = passed
                self.left = left_of_stages(self.out, self.jobs)
            with self.drawing:
                if (self.live or is_due) and not self.ended.is_set():
                    self._draw()

    def _draw(self) -> None:
        self.history.update()
        for event in events.failed_jobs(self.history):
            if event not in self.told:
                self.told.append(event)
                print(events.headline(event), file=sys.stderr)
        rows = rows_of(self.jobs, self.history, self.left)
        passed = time.monotonic() - self.began
        if self.live:
            self.live.update(
                as_table(rows, self.begun, passed, self.live.console.height), refresh=True
            )
        else:
            print(as_line(rows, self.begun, passed), file=sys.stderr)


def _is_of_job(record: logging.LogRecord) -> bool:
    """Tell whether Snakemake says that jobs failed, which the events of the run say, too."""
    text = record.getMessage()
    is_event = getattr(record, "event", None) in OF_JOBS
    return is_event or any(words in text for words in private.FAILED)


def _give_streams_to(path: Path) -> None:
    """Let this process and its children print into a log; only ``sys.stderr`` stays what it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    sys.stdout.flush()
    with open(path, "ab") as log:
        kept = os.fdopen(os.dup(2), "w", buffering=1, errors="backslashreplace")
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    sys.stderr = kept


def rows_of(jobs: list[Job], history: events.History, left: dict[str, float | None]) -> list[Row]:
    """Return a row for each stage that has jobs in this start, and at last one of all."""
    planned = Counter(job.stage for job in jobs)
    counts: dict[str, Counter[str]] = {stage: Counter() for stage in planned}
    for job in jobs:
        if event := history.jobs.get(log(job)):
            counts[job.stage][events.state_of(event)] += 1
    stages = [(stage, planned[stage], counts[stage]) for stage in STAGES if planned[stage]]
    everything = (ALL, len(jobs), sum(counts.values(), Counter()))
    return [
        Row(name, number, count["finished"], count["started"], count["failed"], left.get(name))
        for name, number, count in (*stages, everything)
    ]


def as_line(rows: list[Row], begun: str, passed: float) -> str:
    """Return all in one line for a file."""
    *stages, everything = rows
    running = ", ".join(f"{row.name} {row.running}" for row in stages if row.running)
    parts = [f"{everything.done} of {everything.jobs} jobs done"]
    parts += [f"{begun}: {running}"] if running else []
    parts += [f"{everything.failed} failed"] if everything.failed else []
    parts += [f"{duration(passed)} passed"]
    is_known = everything.left and everything.done < everything.jobs
    parts += [f"at least {duration(everything.left)} left"] if is_known else []
    return ", ".join(parts)


def as_table(rows: list[Row], begun: str, passed: float, lines: int):
    """Return the table of a terminal with so many lines; where it is too small, without what is done."""
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for title in ("stage", f"{duration(passed)} passed"):
        table.add_column(title, no_wrap=True)
    for title in ("done", begun, "failed", "time left"):
        table.add_column(title, no_wrap=True, justify="right")
    is_small = len(rows) + 2 > lines
    for row in rows:
        if is_small and row.done == row.jobs and row.name != ALL:
            continue
        unknown = "not known" if row.name == ALL and row.done < row.jobs else ""
        table.add_row(
            row.name,
            ProgressBar(total=row.jobs, completed=row.done, width=BAR),
            f"{row.done} of {row.jobs}",
            str(row.running or ""),
            f"[red]{row.failed}" if row.failed else "",
            duration(row.left) if row.left and row.done < row.jobs else unknown,
        )
    return table


def _live():
    """Return what redraws the table on the terminal, and lets what is printed stand above it."""
    from rich.console import Console
    from rich.live import Live

    live = Live(console=Console(file=sys.stderr), auto_refresh=False, redirect_stdout=False)
    live.start()
    live.console.show_cursor()  # a kill would leave it hidden
    return live


def left_of_stages(out: str, these: list[Job]) -> dict[str, float | None]:
    """Return the seconds that each stage of a run, and all together, still take, as `status` has it."""
    from workflow.status.look import look  # slow to load, and not needed before a run
    from workflow.status.started import read_start

    try:
        status = look(read_start(out), these)
    except (InputError, OSError, ValueError, LookupError):  # files that are being written
        return {}
    return {ALL: status.left, **{count["stage"]: count["left"] for count in status.stages}}
