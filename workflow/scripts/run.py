"""Run the workflow, or go on with it: call Snakemake with these config files, and show the command.

What stands behind -- is given to Snakemake as it is: any of its arguments, such as
`semblance run -- --profile slurm`. The exit status is Snakemake's.
"""

import argparse
import json
import os
import shlex
import shutil
import sys
from itertools import takewhile
from pathlib import Path

from semblance.errors import InputError
from semblance.provenance import ROOT
from workflow.config.layers import found, read_layer
from workflow.scripts import cli

PROGRAM = "snakemake"


def parser() -> argparse.ArgumentParser:
    flags = cli.command(
        "semblance run",
        __doc__,
        usage="semblance run [CONFIG ...] [--cores N] [--output OUT] [--set KEY=VALUE ...] [-n] "
        "[-- SNAKEMAKE ARGUMENTS]",
    )
    cli.add_configs(flags)
    cli.add_cores(flags)
    cli.add_output(flags)
    flags.add_argument(
        "--set",
        nargs="+",
        action="extend",
        default=[],
        metavar="KEY=VALUE",
        help="a key of the config and its value, as for snakemake's --config",
    )
    flags.add_argument(
        "-n", "--dry-run", action="store_true", help="say what a run would do, and start nothing"
    )
    return flags


def main(argv: list[str]) -> None:
    """Print the command, and become it."""
    command = command_line(argv)
    program = _program()
    shown = PROGRAM if shutil.which(PROGRAM) == program else program
    print(shlex.join([shown, *command]), file=sys.stderr, flush=True)
    os.execv(program, [program, *command])


def command_line(argv: list[str]) -> list[str]:
    """Return the arguments of Snakemake. Raises InputError for a config file that is malformed.

    Snakemake itself ends with a traceback, or never, where one is.
    """
    own = list(takewhile(lambda word: word != "--", argv))
    args = parser().parse_args(own)
    for path in args.config:
        read_layer(path)
    command = ["--configfile", *map(found, args.config)] if args.config else []
    settings = args.set
    for setting in settings:
        key, equals, _ = setting.partition("=")
        if not key.isidentifier() or not equals:
            advice = "write it as in --set seeds='[1, 2]'"
            raise InputError(f"--set {setting}", "no KEY=VALUE", advice)
    if args.output:  # in quotes: 010 is a number in one YAML, and none in another
        settings.append(f"output={json.dumps(args.output)}")
    if settings:
        command += ["--config", *settings]
    if Path.cwd() != ROOT:
        command += ["--snakefile", str(ROOT / "Snakefile")]
    if args.dry_run:
        command.append("--dry-run")
    # Last, since it takes one word only: the words of the user's own may begin with a target.
    return [*command, "--cores", args.cores, *argv[len(own) + 1 :]]


def _program() -> str:
    """Return the path of Snakemake's own program: that beside this Python, or that on the PATH."""
    beside = str(Path(sys.executable).with_name(PROGRAM))
    program = shutil.which(beside) or shutil.which(PROGRAM)
    if program is None:
        advice = "install the project: make setup, or pip install"
        raise InputError(PROGRAM, "no such program here", advice)
    return program
