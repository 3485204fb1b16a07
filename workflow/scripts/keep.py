"""Keep a finished run in a small folder: tables, report, records, scores and predictions.

Anyone can check it: semblance verify --output FOLDER. It holds no weights, and its config no absolute path.
For the programs of others it is a Workflow Run RO-Crate.
The card of each model of the run gets its test scores and the verdicts.
"""

import argparse
import contextlib
import sys
from pathlib import Path

from semblance.audit.kept import keep
from semblance.errors import InputError
from workflow.run.cards import write_cards
from workflow.run.crate import write_crate
from workflow.run.started import last_output, read_start
from workflow.scripts import cli


def parser() -> argparse.ArgumentParser:
    flags = cli.command("semblance keep", __doc__)
    flags.add_argument("folder", type=Path, help="where to keep it, such as docs/runs/NAME")
    cli.add_run(flags)
    return flags


def main(argv: list[str]) -> None:
    args = parser().parse_args(argv)
    results = args.output or last_output()
    keep(results, args.folder)
    write_crate(args.folder)
    try:
        started = read_start(results)
        with contextlib.chdir(started.folder):  # from which the paths of its config count
            write_cards(started.config)
    except InputError as error:
        print(f"warning: no cards of its models: {error}", file=sys.stderr)
    print(f"kept {results}. Check it: semblance verify --output {args.folder}")
