"""Say what a configuration will cost before anything runs: jobs, hours, memory, disk, submissions.

With the names of tables it counts what these need, and nothing else: semblance plan rcl_table3

Reads the config files, the manifest, the records of finished jobs and the logs of running ones; uses
no network, starts no job. How fast these jobs were is kept for the rules.
"""

import argparse

from workflow.costing import rates, usage
from workflow.costing.pages import device_note, plan_page
from workflow.scripts import cli
from workflow.scripts.endings import run


def parser() -> argparse.ArgumentParser:
    flags = cli.command("semblance plan", __doc__)
    cli.add_configs_and_tables(flags)
    cli.add_output(flags)
    return flags


def main(argv: list[str] | None = None) -> None:
    """Measure the jobs so far, and print the table."""
    args = parser().parse_args(argv)
    configs, tables = cli.configs_and_tables(args.configs)
    cost = usage.estimates(configs, args.output, tables)
    finished = usage.finished(cost)
    cost.factor = usage.measured(cost, [*finished, *usage.running(cost)])
    if cost.factor.n:
        rates.keep_factor(cost.plan.out, cost.factor)
    print(plan_page(cost))
    if note := device_note(cost, finished):
        print(note)


if __name__ == "__main__":
    run(main)
