"""Check a config and this machine before a run, without the network: one line for each error.

It looks at keys and values, files and folders, GPUs, room on the disks, and, with a profile that
submits to Slurm, at Slurm's programs and partitions. Each start of snakemake does the same first.
Exit status 2 if there is an error; a warning stops nothing.
"""

import argparse
import sys

from semblance.provenance import canonical
from workflow.config.layers import over_project
from workflow.planning.stages import makers
from workflow.run import command
from workflow.run.check import check, check_planned
from workflow.scripts import cli
from workflow.scripts.endings import BAD_INPUT


def parser() -> argparse.ArgumentParser:
    flags = cli.command("semblance check", __doc__)
    cli.add_configs_and_tables(flags)
    flags.add_argument("--profile", help="the profile of the run to come, such as slurm")
    cli.add_json(flags)
    return flags


def main(argv: list[str]) -> None:
    args = parser().parse_args(argv)
    asked = command.Command(starts_jobs=True, plans_jobs=True)
    if args.profile:
        asked = command.of_profile(args.profile)
    configs, tables = cli.configs_and_tables(args.configs)
    checked = check(over_project(configs), asked)
    if not checked.errors:
        checked.cost.targets = makers(checked.cost.plan, tables) or checked.cost.targets
        check_planned(checked)
    errors, warnings, facts = list(map(str, checked.errors)), checked.warnings, checked.facts
    if args.json:
        print(canonical({"errors": errors, "warnings": warnings, "facts": facts}))
    else:
        lines = [f"error: {error}" for error in errors]
        lines += [f"warning: {warning}" for warning in warnings]
        lines += [] if errors else [*facts, "no error found: the run can start"]
        print("\n".join(lines))
    if errors:
        sys.exit(BAD_INPUT)
