"""Say what a configuration will cost before anything runs: jobs, hours, memory, disk, submissions.

Reads the config files, the manifest and the records of finished jobs; asks no network and starts nothing.
"""

import argparse

from workflow.costing import usage
from workflow.costing.pages import plan_page
from workflow.scripts.cli import run


def main(argv: list[str] | None = None) -> None:
    """Print the table, and keep what the finished jobs teach for the rules."""
    parser = argparse.ArgumentParser(
        prog="plan", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "config", nargs="*", help="config files, laid over config.yaml in this order"
    )
    parser.add_argument("--output", help="the output folder, in place of the config's")
    args = parser.parse_args(argv)
    _, learned = usage.costs(args.config, args.output)
    print(plan_page(learned), end="")


if __name__ == "__main__":
    run(main)
