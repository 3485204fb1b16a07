"""Print what lets a shell complete these commands, their options and files: bash or zsh.

In this shell alone, bash: eval "$(semblance completion bash)". For each new one write it to a file:
~/.local/share/bash-completion/completions/semblance, or for zsh _semblance in a folder of $fpath.
"""

import argparse
import importlib

import shtab

from semblance.__main__ import commands, first_line
from workflow.scripts import cli
from workflow.scripts.endings import run

# By the name of an argument: what a shell offers for it.
FILES = "config configs csv log pairs".split()
FOLDERS = "data downloads folder mirror model output papers results".split()
PLACES = {**dict.fromkeys(FILES, shtab.FILE), **dict.fromkeys(FOLDERS, shtab.DIRECTORY)}


def parser() -> argparse.ArgumentParser:
    flags = cli.command("semblance completion", __doc__)
    flags.add_argument("shell", choices=("bash", "zsh"), help="the shell to complete in")
    return flags


def main(argv: list[str] | None = None) -> None:
    """Print the script."""
    args = parser().parse_args(argv)
    print(shtab.complete(all_commands(), args.shell))


def all_commands() -> argparse.ArgumentParser:
    """Return one parser of all commands, made of the ``parser()`` of each script."""
    whole = argparse.ArgumentParser(prog="semblance")
    whole.add_argument("--version", action="store_true", help="print the version")
    choices = whole.add_subparsers(dest="command")
    for name in commands():
        own = importlib.import_module(f"workflow.scripts.{name}").parser()
        _offer_files(own)
        choices.add_parser(
            name, parents=[own], add_help=False, help=first_line(name), description=own.description
        )
    return whole


def _offer_files(parser: argparse.ArgumentParser) -> None:
    """Mark the arguments that are files and folders, those of subcommands, too."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                _offer_files(inner)
        elif action.dest in PLACES and action.choices is None:
            action.complete = PLACES[action.dest]


if __name__ == "__main__":
    run(main)
