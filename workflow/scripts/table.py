"""Print a table of a run: the finished one, or what there is of it, which says what is missing.

On a terminal that is too narrow it has the average, n and the difference alone.

Without a name it lists the tables. The pages claims and published are printed, too.
Nothing is written.
"""

import argparse
import contextlib
import shutil
from pathlib import Path

from semblance import layout
from semblance.audit.chain import Chain
from semblance.errors import InputError
from semblance.provenance import read_text
from workflow.planning.plan import Plan
from workflow.scripts import cli
from workflow.scripts.endings import run
from workflow.status import started

PAGES = ("claims", "published")  # made of all tables, as Markdown alone


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
        tables = plan.config.tables
        if args.table in PAGES:
            text = _page(plan, args.table, args.form)
        elif args.table is not None:
            text = _one_table(plan, args.table, args.form)
        else:
            width = max(map(len, tables), default=0)
            lines = [f"{name:<{width}}  {table.title}" for name, table in tables.items()]
            text = "\n".join(lines)
    print(text.rstrip("\n"))


def _page(plan: Plan, name: str, form: str) -> str:
    """Return a page that is made of all tables."""
    if form != "text":
        raise InputError(name, f"has no form {form}", f"leave out --{form}")
    path = Path(layout.place(plan.out, layout.TABLES), f"{name}.md")
    if not path.is_file():
        raise InputError(path, "is not made yet", "semblance run makes it")
    record = Path(layout.place(plan.out, layout.TABLE_RECORD, table=name)).absolute()
    changed = Chain(plan.out).changed_since(record)
    note = f"OUT OF DATE: results that were made again since this page: {len(changed)}"
    return f"{note}\n\n" * bool(changed) + read_text(path)


def _one_table(plan: Plan, name: str, form: str) -> str:
    # Slow to import: the libraries of the tables.
    from semblance.reporting.formats import fitted, table_csv
    from semblance.reporting.table import to_json
    from workflow.status.tables import tables_now

    tables = {known.casefold(): known for known in plan.config.tables}
    if name.casefold() not in tables:
        known = ", ".join([*plan.config.tables, *PAGES])
        raise InputError(name, "there is no such table", f"name one of {known}")
    name = tables[name.casefold()]
    table = tables_now(plan, [name])[0][name]
    if form == "text":
        return fitted(table, shutil.get_terminal_size().columns)
    return table_csv(table) if form == "csv" else to_json(table)


if __name__ == "__main__":
    run(main)
