"""What the parsers of the commands for people share."""

import argparse
import re
from pathlib import Path
from typing import Any, NoReturn

from semblance.errors import InputError

CONFIGS = (".yaml", ".yml", ".json")


class Parser(argparse.ArgumentParser):
    """A parser that says how a run's folder is named, where one stands as a bare word."""

    def error(self, message: str) -> NoReturn:
        """End with status 2 and the usage, or with the command to type."""
        folder = message.removeprefix("unrecognized arguments: ")
        if folder != message and Path(folder).is_dir():
            problem = "a run's folder is named by --output"
            raise InputError(folder, problem, f"{self.prog} --output {folder}")
        super().error(message)


def command(prog: str, description: str | None, **more: Any) -> argparse.ArgumentParser:
    """Return a parser without flags, whose help is a script's own text as it is."""
    form = argparse.RawDescriptionHelpFormatter
    return Parser(prog, description=description, formatter_class=form, **more)


def add_configs(flags: argparse.ArgumentParser) -> None:
    flags.add_argument(
        "config", nargs="*", help="config files, laid over config.yaml in this order"
    )


def add_configs_and_tables(flags: argparse.ArgumentParser) -> None:
    flags.add_argument(
        "configs",
        nargs="*",
        metavar="CONFIG|TABLE",
        help="config files, laid over config.yaml in this order; names of tables, for these alone",
    )


def configs_and_tables(words: list[str]) -> tuple[list[str], list[str]]:
    """Return the words that are files, by their ending or because they are there; and the others."""
    files = [word for word in words if Path(word).suffix in CONFIGS or Path(word).is_file()]
    return files, [word for word in words if word not in files]


def add_run(flags: argparse.ArgumentParser) -> None:
    text = "the output folder of a run; by default the one here on which a run began last"
    flags.add_argument("--output", metavar="OUT", help=text)


def add_output(flags: argparse.ArgumentParser) -> None:
    flags.add_argument("--output", help="the output folder, in place of the config's")


def add_json(flags: argparse.ArgumentParser) -> None:
    flags.add_argument("--json", action="store_true", help="the same for programs, as JSON")


def add_cores(flags: argparse.ArgumentParser) -> None:
    flags.add_argument(
        "--cores", type=_cores, default="all", help="cores of this machine to use (default: all)"
    )


def _cores(text: str) -> str:
    if text != "all" and not re.fullmatch("[1-9][0-9]{0,3}", text):
        raise argparse.ArgumentTypeError(
            f"{text!r:.40} is no number of cores; give 1 or more, or all"
        )
    return text
