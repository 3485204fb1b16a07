"""Say what a configuration will cost before anything runs: jobs, hours, memory, disk, submissions.

Reads the config files, the manifest, the records of finished jobs and the logs of running ones; uses
no network, starts no job. The rates that these jobs show are kept for the rules. For what this
output folder has not shown yet, the rates of the output folders beside it are used.
"""

import argparse

from workflow.costing import rates, usage
from workflow.costing.pages import device_note, plan_page
from workflow.scripts.endings import run


def parser() -> argparse.ArgumentParser:
    """Return the flags."""
    flags = argparse.ArgumentParser(
        prog="semblance plan",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    flags.add_argument(
        "config", nargs="*", help="config files, laid over config.yaml in this order"
    )
    flags.add_argument("--output", help="the output folder, in place of the config's")
    return flags


def main(argv: list[str] | None = None) -> None:
    """Learn from the jobs so far, and print the table."""
    args = parser().parse_args(argv)
    cost = usage.estimates(args.config, args.output)
    finished = usage.finished(cost)
    learned = usage.learn(cost, [*finished, *usage.running(cost)]) | usage.learn_shares(finished)
    beside = rates.beside(cost.plan.out)
    cost.learned = beside | rates.update(cost.plan.out, learned)
    print(plan_page(cost))
    if note := device_note(cost, finished):
        print(note)


if __name__ == "__main__":
    run(main)
