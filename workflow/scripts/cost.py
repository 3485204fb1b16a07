"""Set what finished jobs used beside what workflow/rates.yaml predicts for them: time, memory, disk."""

import argparse

from workflow.costing import usage
from workflow.costing.pages import cost_page
from workflow.scripts import cli
from workflow.scripts.endings import run


def parser() -> argparse.ArgumentParser:
    flags = cli.command("semblance cost", __doc__)
    cli.add_configs(flags)
    cli.add_output(flags)
    return flags


def main(argv: list[str] | None = None) -> None:
    """Print the table."""
    args = parser().parse_args(argv)
    cost = usage.estimates(args.config, args.output)
    print(cost_page(cost, usage.finished(cost)))


if __name__ == "__main__":
    run(main)
