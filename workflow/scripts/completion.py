"""Print what completes commands, options and files for a shell: bash, zsh, fish, tcsh or PowerShell.

For bash: eval "$(semblance completion bash)" in ~/.bashrc. For zsh the same in ~/.zshrc, behind compinit;
for fish: semblance completion fish > ~/.config/fish/completions/semblance.fish
"""

import argparse
import importlib

import shtab

from semblance.__main__ import commands, first_line, script_of
from workflow.scripts import cli


def parser() -> argparse.ArgumentParser:
    flags = cli.command("semblance completion", __doc__)
    flags.add_argument("shell", choices=shtab.SUPPORTED_SHELLS)
    return flags


def main(argv: list[str]) -> None:
    shell = parser().parse_args(argv).shell
    print(shtab.complete(whole_parser(), shell))


def whole_parser() -> argparse.ArgumentParser:
    """Return one parser of all commands, in which each value without choices may be a file."""
    whole = argparse.ArgumentParser("semblance")
    below = whole.add_subparsers()
    for name in commands():
        script = importlib.import_module(f"workflow.scripts.{script_of(name)}")
        # Without a help of its own, shtab takes a command for a hidden one.
        own = below.add_parser(
            name, parents=[script.parser()], add_help=False, help=first_line(name)
        )
        for action in own._actions:
            if action.nargs != 0 and not action.choices:
                action.complete = shtab.FILE
    return whole
