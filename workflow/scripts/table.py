"""Print a table of a run: the finished one, or what there is of it, which says what is missing.

On a terminal that is too narrow it has the average, n and the difference alone.

Without a name it lists the tables. Nothing is written.
"""

import argparse
import contextlib
import shutil

from semblance.errors import InputError
from workflow.planning.plan import Plan
from workflow.scripts import cli
from workflow.scripts.endings import run
from workflow.status import started


def parser() -> argparse.ArgumentParser:
    flags = cli.command("semblance table", __doc__)
    flags.add_argument("table", nargs="?", metavar="NAME", help="the table's name")
    cli.add_run(flags)
    forms = flags.add_mutually_exclusive_group()
    for form, text in (("csv", "unrounded, as CSV"), ("json", "every score, as JSON")):
        forms.add_argument(
            f"--{form}", action="store_const", dest="form", const=form, default="text", help=text
        )
    return flags


def main(argv: list[str] | None = None) -> None:
    """Print the table, or the names of all."""
    args = parser().parse_args(argv)
    start = started.read_start(args.output or started.last_output())
    with contextlib.chdir(start.folder):  # from which the paths of its config count
        plan = Plan(start.config)
        if args.table:
            print(_one_table(plan, args.table, args.form).rstrip("\n"))
            return
    width = max(map(len, plan.config.tables), default=0)
    for name, table in plan.config.tables.items():
        print(f"{name:<{width}}  {table.title}")


def _one_table(plan: Plan, name: str, form: str) -> str:
    # Slow to import: the libraries of the tables.
    from semblance.reporting.formats import fitted, table_csv
    from semblance.reporting.table import to_json
    from workflow.status.tables import tables_now

    tables = {known.casefold(): known for known in plan.config.tables}
    if name.casefold() not in tables:
        advice = f"name one of {', '.join(plan.config.tables)}"
        raise InputError(name, "there is no such table", advice)
    name = tables[name.casefold()]
    table = tables_now(plan, [name])[0][name]
    if form == "text":
        return fitted(table, shutil.get_terminal_size().columns)
    return table_csv(table) if form == "csv" else to_json(table)


if __name__ == "__main__":
    run(main)
