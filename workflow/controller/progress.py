"""Run snakemake and show in one line what runs and how much is left.

Snakemake writes all that it prints to .snakemake/log. If it fails, its last lines are shown.

Snakemake reads the files of --configfile before any line of the Snakefile, and ends with a traceback,
or never, where one is malformed. So they are checked here first.
"""

import argparse
import re
import subprocess
import sys
from collections import deque
from collections.abc import Iterable

from tqdm import tqdm

from semblance.errors import InputError
from workflow.planning.config import check_files

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
SECONDS = 20  # between two lines in a file
PLAIN = "{n_fmt} of {total_fmt} jobs done, {elapsed} passed, about {remaining} left ({desc})"
LOG = re.compile(r"^Complete log(?:\(s\))?: (.*)")
BAD_INPUT = 2
INTERRUPTED = 130


def main(arguments: list[str]) -> int:
    """Run ``snakemake ARGUMENTS``; return its exit status, or 2 for a config file that is malformed."""
    try:
        check_files(config_files(arguments))
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
    interrupted = _follow_all(process.stdout or (), recent)
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


def _follow_all(lines: Iterable[str], recent: deque[str]) -> bool:
    """Follow snakemake to its end and keep its ``recent`` lines; tell whether Ctrl-C was typed."""
    interrupted = False
    rule = ""
    with _progress_bar() as bar:
        while True:
            try:
                for line in lines:
                    recent.append(line)
                    rule = follow(line, rule, bar)
                return interrupted
            except KeyboardInterrupt:  # snakemake got the signal too, and says what it has saved
                interrupted = True


def _progress_bar() -> tqdm:
    if sys.stderr.isatty():
        return tqdm(unit="job", file=sys.stderr, mininterval=0, dynamic_ncols=True)
    return Lines(unit="job", file=sys.stderr, mininterval=SECONDS, bar_format=PLAIN)


class Lines(tqdm):
    """Progress for a file or a pipe: a line of its own each time, and nothing overwritten."""

    told = 0

    def display(self, *_: object, **__: object) -> None:
        """Write one line if more jobs are done than the last line says."""
        if self.n != self.told:
            self.told = self.n
            self.fp.write(f"{self}\n")
            self.fp.flush()

    def clear(self, *_: object, **__: object) -> None:
        """Leave the lines that stand there."""

    def close(self) -> None:
        """Write the last line, with no empty one after it."""
        self.leave = False
        self.display()
        super().close()


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
        bar.update(done - bar.n)
    elif line.startswith(SHOWN):
        bar.write(line.rstrip(), file=sys.stderr)
    return rule


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
