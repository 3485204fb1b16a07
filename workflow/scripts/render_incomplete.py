"""Render what there is of the tables whose runs are not all finished, and say what is missing.

Reads the config files, the scores and the events of a run, which may be running. Writes into
tables/incomplete of its output folder alone; `snakemake` renders the whole tables.
"""

import argparse

from workflow.controller import incomplete
from workflow.planning.config import load_files
from workflow.planning.plan import Plan
from workflow.scripts.endings import run


def main(argv: list[str] | None = None) -> None:
    """Render the tables and print the summary."""
    parser = argparse.ArgumentParser(
        prog="render_incomplete",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "config", nargs="*", help="config files, laid over config.yaml in this order"
    )
    parser.add_argument("--output", help="the output folder, in place of the config's")
    args = parser.parse_args(argv)
    print(incomplete.render(Plan(load_files(args.config, args.output))))


if __name__ == "__main__":
    run(main)
