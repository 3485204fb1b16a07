"""Ask every address of a config for each file, without downloading: is it there, how large, as pinned?

What is already downloaded, or lies in a mirror folder, is not asked of the network. Prints one table
within a minute; exit status 1 if a file is nowhere to be had.
"""

import argparse
import sys

from semblance.fetch.manifest import load_manifest
from semblance.fetch.sources import ask_all, missing, page, questions
from semblance.provenance import canonical
from workflow.checks.load import load_files
from workflow.planning.plan import Plan
from workflow.planning.stages import wanted_by
from workflow.scripts import cli


def parser() -> argparse.ArgumentParser:
    flags = cli.command("semblance sources", __doc__)
    cli.add_configs(flags)
    cli.add_json(flags)
    return flags


def main(argv: list[str]) -> None:
    args = parser().parse_args(argv)
    wanted = wanted_by(Plan(load_files(args.config)))
    answers = ask_all(questions(wanted, load_manifest(wanted.manifest)))
    print(canonical([answer._asdict() for answer in answers]) if args.json else page(answers))
    if missing(answers):
        sys.exit(1)
