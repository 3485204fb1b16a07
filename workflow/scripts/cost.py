"""Set what finished jobs used beside what workflow/rates.yaml predicts for them: time, memory, disk."""

import argparse

from workflow.costing import usage
from workflow.costing.pages import cost_page
from workflow.scripts.endings import run


def parser() -> argparse.ArgumentParser:
    """Return the flags."""
    flags = argparse.ArgumentParser(
        prog="semblance cost",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    flags.add_argument(
        "config", nargs="*", help="config files, laid over config.yaml in this order"
    )
    flags.add_argument("--output", help="the output folder, in place of the config's")
    return flags


def main(argv: list[str] | None = None) -> None:
    """Print the table."""
    args = parser().parse_args(argv)
    cost = usage.estimates(args.config, args.output)
    print(cost_page(cost, usage.finished(cost)))


if __name__ == "__main__":
    run(main)
