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
from semblance.errors import InputError
from workflow.planning.config import check_files
from workflow.planning.layers import read_layer

RULE = re.compile(r"^(?:local)?(?:rule|checkpoint) (\w[\w-]*):")
WILDCARDS = re.compile(r"^    wildcards: (.*)")
DONE = re.compile(r"^(\d+) of (\d+) steps")
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
LOG = re.compile(r"^Complete log(?:\(s\))?: (.*)")
BAD_INPUT = 2
INTERRUPTED = 130


def main(arguments: list[str]) -> int:
    """Run ``snakemake ARGUMENTS``; return its exit status, or 2 for a config file that is malformed."""
    try:
        files = config_files(arguments)
        check_files(files)
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return BAD_INPUT
    process = subprocess.Popen(
        [sys.executable, "-m", "snakemake", *arguments],
        text=True,
        errors="replace",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    recent: deque[str] = deque(maxlen=LAST)
    interrupted = _follow_all(process.stdout or (), recent, output_of(files))
    status = process.wait()
    if interrupted:
        return INTERRUPTED
    if status:
        sys.stderr.writelines(recent)
        _tell_log(recent)
    return status


def _tell_log(recent: Iterable[str]) -> None:
    """Name the file in which Snakemake has kept all that it said."""
    for line in recent:
        if found := LOG.match(line):
            print(f"the whole log of the run: {found[1]}", file=sys.stderr)


def config_files(arguments: list[str]) -> list[str]:
    """Return the config files that arguments of snakemake name."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--configfile", "--configfiles", nargs="+", action="extend", default=[])
    return parser.parse_known_args(arguments)[0].configfile


def output_of(files: Iterable[str]) -> str | None:
    """Return the output folder that the last of config files names; None where none does."""
    named = [read_layer(file).value.get("output") for file in files]
    return next((str(output) for output in reversed(named) if output), None)


def _follow_all(lines: Iterable[str], recent: deque[str], output: str | None) -> bool:
    """Follow snakemake to its end and keep its ``recent`` lines; tell whether Ctrl-C was typed."""
    interrupted = False
    rule = ""
    with _progress_bar() as bar, _ticking(bar, output):
        while True:
            try:
                for line in lines:
                    recent.append(line)
                    rule = follow(line, rule, bar)
                return interrupted
            except KeyboardInterrupt:  # snakemake got the signal too, and says what it has saved
                interrupted = True


class Bar(tqdm):
    """Progress with the time ``left``, which the cost model knows better than a count of jobs."""

    left = "time left not known yet"

    @property
    def format_dict(self) -> dict:
        """What a format can name."""
        return {**super().format_dict, "left": self.left}


class Lines(Bar):
    """Progress for a file or a pipe: a line of its own each time, and nothing overwritten."""

    told = 0
    told_at = 0.0  # seconds of time.monotonic

    def display(self, *_: object, **__: object) -> None:
        """Write one line if more jobs are done than the last line says, or it is long ago."""
        now = time.monotonic()
        if self.n != self.told or (self.told and now - self.told_at > QUIET):
            self.told = self.n
            self.told_at = now
            self.fp.write(f"{self}\n")
            self.fp.flush()

    def clear(self, *_: object, **__: object) -> None:
        """Leave the lines that stand there."""

    def close(self) -> None:
        """Write the last line, with no empty one after it."""
        self.leave = False
        self.display()
        super().close()


def _progress_bar() -> Bar:
    if sys.stderr.isatty():
        form = {"mininterval": 0, "dynamic_ncols": True, "bar_format": BAR}
        return Bar(unit="job", file=sys.stderr, **form)
    return Lines(unit="job", file=sys.stderr, mininterval=SECONDS, bar_format=PLAIN)


@contextlib.contextmanager
def _ticking(bar: Bar, output: str | None) -> Iterator[None]:
    """Bring the time left of a bar up to date from time to time, also while no job ends."""
    stopped = threading.Event()

    def tick() -> None:
        while not stopped.wait(SECONDS):
            bar.left = time_left(output)
            bar.refresh()

    thread = threading.Thread(target=tick, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join(SECONDS)


def time_left(output: str | None) -> str:
    """Return about how long the run on an output folder still takes, as `semblance status` tells it."""
    from workflow.status.look import look  # slow to load, and not needed before a run
    from workflow.status.started import read_start

    try:
        if output is None:
            return Bar.left
        remaining = look(read_start(output)).remaining
    except (InputError, OSError, ValueError, LookupError):  # files that are being written
        return Bar.left
    return f"{remaining.bound} {duration(remaining.seconds)} left"


def follow(line: str, rule: str, bar: tqdm) -> str:
    """Bring the bar up to date with one line of snakemake's; return the rule last named."""
    if found := RULE.match(line):
        rule = found.group(1)
        bar.set_description_str(rule, refresh=False)
    elif found := WILDCARDS.match(line):
        values = [part.partition("=")[2] for part in found.group(1).split(", ")]
        bar.set_description_str(" ".join([rule, *values])[:WIDTH], refresh=False)
    elif found := DONE.match(line):
        done, total = map(int, found.groups())
        bar.total = total
        if done == total:
            bar.left = "0 s left"
        bar.update(done - bar.n)
    elif line.startswith(SHOWN):
        bar.write(line.rstrip(), file=sys.stderr)
    return rule


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
