"""Render what there is of the tables whose runs are not all finished, and say what is missing.

Reads the config files, the scores and the events of a run, which may be running. Writes into
tables/incomplete of its output folder alone; `snakemake` renders the whole tables.
"""

from workflow.controller import incomplete
from workflow.planning.config import load_files
from workflow.planning.plan import Plan
from workflow.scripts import cli
from workflow.scripts.endings import run


def main(argv: list[str] | None = None) -> None:
    """Render the tables and print the summary."""
    flags = cli.command("render_incomplete", __doc__)
    cli.add_configs(flags)
    cli.add_output(flags)
    args = flags.parse_args(argv)
    print(incomplete.render(Plan(load_files(args.config, args.output))))


if __name__ == "__main__":
    run(main)
