"""Set what finished jobs used beside what was predicted for them: time, memory, disk.

`estimate` is predicted from workflow/rates.yaml, `learned` from the median rates of the finished jobs themselves.
"""

import argparse

from workflow.costing import usage
from workflow.costing.pages import cost_page
from workflow.scripts.cli import run


def main(argv: list[str] | None = None) -> None:
    """Print the table, and keep what the finished jobs teach for the rules."""
    parser = argparse.ArgumentParser(
        prog="cost", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "config", nargs="*", help="config files, laid over config.yaml in this order"
    )
    parser.add_argument("--output", help="the output folder, in place of the config's")
    args = parser.parse_args(argv)
    estimate, learned = usage.costs(args.config, args.output)
    print(cost_page(estimate, learned, usage.read(learned.plan.out)), end="")


if __name__ == "__main__":
    run(main)
