"""Run snakemake and show in one line what runs and how much is left.

Snakemake writes all that it prints to .snakemake/log. If it fails, its last lines are shown.

Snakemake reads the files of --configfile before any line of the Snakefile, and ends with a traceback,
or never, where one is malformed. So they are checked here first.
"""

import argparse
import contextlib
import re
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator

from tqdm import tqdm

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
SECONDS = 20  # between two looks at the time left, and between two lines in a file
QUIET = 60  # seconds after which a file gets a line though no job was done
PLAIN = "{n_fmt} of {total_fmt} jobs done, {elapsed} passed, {left} ({desc})"
BAR = "{percentage:3.0f}%|{bar}| {n_fmt} of {total_fmt} jobs, {elapsed} passed, {left} ({desc})"
LOG = "Complete log(s): "
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
    with progress.bar, progress.ticking():
        while True:
            try:
                for line in lines:
                    recent.append(line)
                    progress.follow(line)
                break
            except KeyboardInterrupt:  # snakemake got it too, and says what it has saved
                interrupted = True
    status = process.wait()
    if interrupted:
        return INTERRUPTED
    if status:
        sys.stderr.writelines(line for line in recent if not FRAME.match(line))
        for line in recent:
            if line.startswith(LOG):  # it keeps all that snakemake said
                print(f"the whole log of the run: {line[len(LOG) :].rstrip()}", file=sys.stderr)
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


class Bar(tqdm):
    """Progress with the time ``left``, which the cost model knows better than a count of jobs."""

    left = "time left not known yet"

    @property
    def format_dict(self) -> dict:
        """What a format can name."""
        return {**super().format_dict, "left": self.left}


class Lines(Bar):
    """Progress for a file or a pipe: a line of its own each time, and nothing overwritten."""

    drawn = 0
    drawn_at = 0.0  # seconds of time.monotonic

    def display(self, *_: object, **__: object) -> None:
        """Write one line if more jobs are done than the last line says, or it is long ago."""
        now = time.monotonic()
        if self.n != self.drawn or (self.drawn and now - self.drawn_at > QUIET):
            self.drawn = self.n
            self.drawn_at = now
            self.fp.write(f"{self}\n")
            self.fp.flush()

    def clear(self, *_: object, **__: object) -> None:
        """Leave the lines that stand there."""

    def close(self) -> None:
        """Write the last line, with no empty one after it."""
        self.leave = False
        self.display()
        super().close()


class ProgressLine:
    """The progress of one run, whose events stand behind those of earlier ones of its folder."""

    def __init__(self, output: str):
        self.output = output
        self.bar = _bar()
        _, self._read = events.read_from(output, 0)

    def follow(self, line: str) -> None:
        """Pass on a line of snakemake's that is for people; bring the bar up to date."""
        if line.startswith(SHOWN):
            self.bar.write(line.rstrip(), file=sys.stderr)
        found, self._read = events.read_from(self.output, self._read)
        for event in found:
            if event["event"] == "started":
                name = " ".join([event["rule"], *event["wildcards"].values()])
                self.bar.set_description_str(name[:WIDTH], refresh=False)
            elif event["event"] == "progress":
                self.bar.total = event["total"]
                if event["done"] == event["total"]:
                    self.bar.left = "0 s left"
                self.bar.update(event["done"] - self.bar.n)

    @contextlib.contextmanager
    def ticking(self) -> Iterator[None]:
        """Bring the time left up to date from time to time, also while no job ends."""
        stopped = threading.Event()

        def tick() -> None:
            while not stopped.wait(SECONDS):
                self.bar.left = time_left(self.output)
                self.bar.refresh()

        thread = threading.Thread(target=tick, daemon=True)
        thread.start()
        try:
            yield
        finally:
            stopped.set()
            thread.join(SECONDS)


def _bar() -> Bar:
    if sys.stderr.isatty():
        form = {"mininterval": 0, "dynamic_ncols": True, "bar_format": BAR}
        return Bar(unit="job", file=sys.stderr, **form)
    return Lines(unit="job", file=sys.stderr, mininterval=SECONDS, bar_format=PLAIN)


def time_left(output: str) -> str:
    """Return about how long the run on an output folder still takes, as `semblance status` tells it."""
    from workflow.status.look import look  # slow to load, and not needed before a run
    from workflow.status.started import read_start

    try:
        remaining = look(read_start(output)).remaining
    except (InputError, OSError, ValueError, LookupError):  # files that are being written
        return Bar.left
    return f"{remaining.bound} {duration(remaining.seconds)} left"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
