"""Print a file that the project ships, to start one of your own from: config.yaml, or another by name.

A config of your own needs only the keys that it changes: all others are those of config.yaml. The
profile of a cluster is looked for in the folder slurm of the working folder.
"""

import argparse
import sys

from semblance.provenance import ROOT
from workflow.scripts import cli
from workflow.scripts.endings import run

PATTERNS = (
    "config.yaml",
    "papers/*.yaml",
    "configs/*.yaml",
    "demo/config.yaml",
    "slurm/profile.yaml",
)


def shipped() -> list[str]:
    """Return the names of the files."""
    found = [path for pattern in PATTERNS for path in sorted(ROOT.glob(pattern))]
    return [path.relative_to(ROOT).as_posix() for path in found]


def parser() -> argparse.ArgumentParser:
    flags = cli.command("semblance config", __doc__)
    flags.add_argument(
        "name",
        nargs="?",
        default="config.yaml",
        choices=shipped(),
        metavar="NAME",
        help=f"one of {', '.join(shipped())} (default: config.yaml)",
    )
    return flags


def main(argv: list[str] | None = None) -> None:
    """Print the file as it is."""
    args = parser().parse_args(argv)
    sys.stdout.write(ROOT.joinpath(args.name).read_text(encoding="utf-8"))


if __name__ == "__main__":
    run(main)
