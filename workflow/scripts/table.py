"""Print a table of a run: the finished one, or what there is of it, which says what is missing.

The paper's row is directly under ours. On a narrow terminal the legend says what is left out.

Without a name it lists the tables. Nothing is written.
"""

import argparse
import contextlib
import shutil
from pathlib import Path

from semblance import layout
from semblance.errors import one_of
from workflow.planning.plan import Plan
from workflow.run import started
from workflow.scripts import cli

WIDE = (10_000, 24)  # columns and lines of what is no terminal, such as a pipe


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


def main(argv: list[str]) -> None:
    args = parser().parse_args(argv)
    out = args.output or started.last_output()
    start = started.read_start(out)
    with contextlib.chdir(start.folder):  # from which the paths of its config count
        plan = Plan(start.config)
        if args.table:
            print(_one_table(plan, args.table, args.form, out).rstrip("\n"))
            return
    width = max(map(len, plan.config.tables), default=0)
    for name, table in plan.config.tables.items():
        print(f"{name:<{width}}  {table.title}")


def _one_table(plan: Plan, name: str, form: str, out: str) -> str:
    # Slow to import: the libraries of the tables.
    from semblance.reporting.formats import fitted, table_csv
    from semblance.reporting.table import to_json
    from workflow.run.current_tables import tables_now

    name = one_of(name, "table", plan.config.tables)
    tables_of_run, lacks = tables_now(plan, [name])
    table = tables_of_run[name]
    if form != "text":
        return table_csv(table) if form == "csv" else to_json(table)
    notes = f"semblance table {name} --json" if lacks else Path(out, layout.TABLES, f"{name}.md")
    return fitted(table, shutil.get_terminal_size(WIDE).columns, str(notes))
