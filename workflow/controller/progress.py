"""Run snakemake and show in one line what runs and how much is left.

Snakemake writes all that it prints to .snakemake/log. If it fails, its last lines are shown.

Snakemake reads the files of --configfile before any line of the Snakefile, and ends with a traceback,
or never, where one is malformed. So they are checked here first.
"""

import argparse
import re
import shutil
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterable

from semblance.counts import duration
from semblance.errors import BAD_INPUT, InputError
from workflow.controller import events
from workflow.planning.layers import PROJECT, read_layer

SHOWN = (  # beginnings of lines that are passed on
    "again:",
    "error:",
    "failed:",
    "    try:",
    "Nothing to be done",
    "note:",
    "saved:",
    "stopped:",
    "to go on:",
    "waiting for",
    "warning:",
)
LAST = 60  # lines shown after a failure
WIDTH = 60  # characters of a job's name
SECONDS = 20  # between two looks at the time left
UNKNOWN = "time left not known yet"
FRAME = re.compile(r'WorkflowError in file|  File "')  # where in our own rules a run was stopped
INTERRUPTED = 130


def main(arguments: list[str]) -> int:
    """Run ``snakemake ARGUMENTS``; return its exit status, or 2 for a config file that is malformed."""
    try:
        output = output_of([PROJECT, *config_files(arguments)])
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return BAD_INPUT
    progress = ProgressLine(output)
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "snakemake", *arguments],
        text=True,
        errors="replace",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    recent: deque[str] = deque(maxlen=LAST)
    lines = process.stdout or ()
    interrupted = False
    threading.Thread(target=progress.tick, daemon=True).start()
    while True:
        try:
            for line in lines:
                recent.append(line)
                progress.draw(line if line.startswith(SHOWN) else "")
            break
        except KeyboardInterrupt:  # snakemake got it too, and says what it has saved
            interrupted = True
    progress.end()
    status = process.wait()
    if interrupted:
        return INTERRUPTED
    if status:
        sys.stderr.writelines(line for line in recent if not FRAME.match(line))
        sys.stderr.write(events.last_line(progress.history))
    return status


def config_files(arguments: list[str]) -> list[str]:
    """Return the config files that arguments of snakemake name; of a repeated flag the last counts."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--configfile", "--configfiles", nargs="+", default=[])
    return parser.parse_known_args(arguments)[0].configfile


def output_of(files: Iterable[str]) -> str:
    """Return the output folder that the last of config files names that names one.

    Raises InputError, with the line, for a file that is not strict YAML or JSON.
    """
    named = [read_layer(file).value.get("output") for file in files]
    return str([output for output in named if output][-1])


class ProgressLine:
    """What runs, and how much is left: one line on a terminal, in a file a new line each time."""

    def __init__(self, output: str):
        self.output = output
        self.history = events.History(output)
        self.history.begin()  # the counts of an earlier run on the folder are none of this one
        self.left = UNKNOWN
        self.began = time.monotonic()
        self.drawn = 0  # jobs done
        self.ended = threading.Event()
        self.lock = threading.Lock()

    def tick(self) -> None:
        """Bring the time left up to date from time to time, also while no job ends."""
        while not self.ended.wait(SECONDS):
            self.left = time_left(self.output)
            self.draw()

    def draw(self, said: str = "") -> None:
        """Write what is ``said`` and the line; in a file only if more is done."""
        with self.lock:
            if self.ended.is_set():
                return
            self.history.update()
            passed = time.monotonic() - self.began
            done, total = self.history.done, self.history.total
            line = self._text(passed) if total else ""
            if sys.stderr.isatty():
                said = f"\r\033[K{said}{line[: shutil.get_terminal_size().columns - 1]}"
            elif total and done != self.drawn:
                self.drawn = done
                said += f"{line}\n"
            sys.stderr.write(said)
            sys.stderr.flush()

    def _text(self, passed: float) -> str:
        done, total = self.history.done, self.history.total
        job = ""
        if began := self.history.started:
            job = " ".join([began["rule"], *began["wildcards"].values()])[:WIDTH]
        left = "0 s left" if done == total else self.left
        return f"{done} of {total} jobs done, {duration(passed)} passed, {left} ({job})"

    def end(self) -> None:
        """Draw nothing more."""
        with self.lock:
            self.ended.set()
        if sys.stderr.isatty():
            sys.stderr.write("\n")


def time_left(output: str) -> str:
    """Return about how long the run on an output folder still takes, as `semblance status` tells it."""
    from workflow.status.look import look  # slow to load, and not needed before a run
    from workflow.status.started import read_start

    try:
        status = look(read_start(output))
    except (InputError, OSError, ValueError, LookupError):  # files that are being written
        return UNKNOWN
    return f"about {duration(status.left)} left"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
