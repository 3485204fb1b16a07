"""Fill a mirror: fetch the raw data and the base models of a config into one folder.

Run it where there is a network, such as on a login node. Prints one line a file: whether it was
there, was fetched, or is missing, and where to put it by hand. What is there as pinned is not fetched
again; a call that was stopped goes on. Exit status 1 if something is missing.

A machine without a network then starts with `--config mirror=FOLDER`.
"""

import argparse
import sys
from pathlib import Path

from semblance.errors import InputError
from semblance.fetch.manifest import is_url, load_manifest
from semblance.fetch.sources import State, fill_mirror
from workflow.checks.load import load
from workflow.config.layers import Layer, Layered, over_project
from workflow.planning.plan import Plan
from workflow.planning.stages import wanted_by
from workflow.scripts import cli


def parser() -> argparse.ArgumentParser:
    flags = cli.command("semblance fetch", __doc__)
    cli.add_configs(flags)
    flags.add_argument("--mirror", help="the folder to fill; by default the config's `mirror`")
    return flags


def main(argv: list[str]) -> None:
    args = parser().parse_args(argv)
    config = over_project(args.config)
    folder = args.mirror or config.get("mirror")
    if folder is None or is_url(folder):
        raise InputError("--mirror", "no folder to fill is named", "give --mirror FOLDER")
    source = config.get("mirror")
    if not is_url(source):
        source = None
    flag = Layer("--mirror", {"mirror": folder}, is_file=False)
    wanted = wanted_by(Plan(load(Layered([*config.layers, flag]))))
    folder = Path(wanted.mirror or folder)
    states = []
    for filled in fill_mirror(wanted, load_manifest(wanted.manifest), folder, source):
        print(filled, flush=True)
        states.append(filled.state)
    if missing := states.count(State.FAILED):
        problem = f"{missing} of {len(states)} files are missing (see above)"
        print(f"error: {folder}: {problem}; the same command goes on from here", file=sys.stderr)
        sys.exit(1)
    print(f"{folder} has all {len(states)} files: start with --config mirror={folder.resolve()}")
