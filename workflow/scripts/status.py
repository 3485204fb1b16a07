"""Say how a run goes: what runs where, what is done, time left, what failed, what a crash left.

Reads records, leases, events and logs, and prices what is left; writes nothing and takes no lock, so
it may run at any time, on any machine that sees the folder. A job counts as done if its record is there:
whether a change of the config makes it again, `semblance run -n` says. The time left is a prediction.
"""

import argparse
import contextlib
import sys
import time

from workflow.run import started
from workflow.run.status import look
from workflow.run.status_page import as_json, as_page
from workflow.scripts import cli
from workflow.terminal import painter

EVERY = 10.0  # seconds: a living process shows itself as often
CLEAR = "\033[H\033[2J"


def parser() -> argparse.ArgumentParser:
    flags = cli.command("semblance status", __doc__)
    cli.add_run(flags)
    flags.add_argument("--all", action="store_true", help="each stage, of a finished run too")
    flags.add_argument("--json", action="store_true", help="print JSON, one line for each look")
    flags.add_argument("--watch", action="store_true", help="look every ten seconds until Ctrl-C")
    return flags


def main(argv: list[str]) -> None:
    """Look, and print; with --watch, again and again."""
    args = parser().parse_args(argv)
    out = args.output or started.last_output()
    if not args.watch:
        print(_look(out, args.json, args.all))
        return
    with contextlib.suppress(KeyboardInterrupt):  # the usual end of watching
        while True:
            in_its_place = CLEAR if sys.stdout.isatty() else ""
            print(in_its_place + _look(out, args.json, args.all), flush=True)
            time.sleep(EVERY)


def _look(out: str, as_line: bool, everything: bool) -> str:
    start = started.read_start(out)
    with contextlib.chdir(start.folder):  # from which the paths of its config count
        status = look(start)
    if as_line:
        return as_json(status)
    return as_page(status, painter(sys.stdout), everything)
