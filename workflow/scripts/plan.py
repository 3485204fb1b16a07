"""Say what a configuration will cost before anything runs: jobs, hours, memory, disk, submissions.

Reads the config files, the manifest and the records of finished jobs; uses no network, starts no job.
The rates that the finished jobs show are kept for the rules.
"""

import argparse

from workflow.costing import rates, usage
from workflow.costing.pages import plan_page
from workflow.scripts.endings import run


def main(argv: list[str] | None = None) -> None:
    """Learn from the finished jobs, and print the table."""
    parser = argparse.ArgumentParser(
        prog="plan", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "config", nargs="*", help="config files, laid over config.yaml in this order"
    )
    parser.add_argument("--output", help="the output folder, in place of the config's")
    args = parser.parse_args(argv)
    cost = usage.estimates(args.config, args.output)
    learned = usage.learn(cost, usage.finished(cost))
    cost.learned = rates.update(cost.plan.out, learned)
    print(plan_page(cost))


if __name__ == "__main__":
    run(main)
