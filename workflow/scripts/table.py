"""Print a table of a run: the finished one, or what there is of it, which says what is missing.

Without a name it lists the tables. The pages claims, published and statistics are printed, too.
Nothing is written.
"""

import argparse
import contextlib
from pathlib import Path

from semblance import layout
from semblance.errors import InputError
from semblance.provenance import read_text
from workflow.planning.plan import Plan
from workflow.scripts import cli
from workflow.scripts.endings import run
from workflow.status import started

ENDINGS = {"markdown": "md", "csv": "csv"}
PAGES = ("claims", "published", "statistics")  # made of all tables, as Markdown alone


def parser() -> argparse.ArgumentParser:
    flags = cli.command("semblance table", __doc__)
    flags.add_argument("table", nargs="?", metavar="NAME", help="the table's name")
    flags.add_argument(
        "--output", help="the output folder; by default the one here on which a run began last"
    )
    forms = flags.add_mutually_exclusive_group()
    for form, text in (("csv", "unrounded, as CSV"), ("json", "every score, as JSON")):
        forms.add_argument(
            f"--{form}",
            action="store_const",
            dest="form",
            const=form,
            default="markdown",
            help=text,
        )
    return flags


def main(argv: list[str] | None = None) -> None:
    """Print the table, or the names of all."""
    args = parser().parse_args(argv)
    found = started.read_start(args.output or started.last_output())
    with contextlib.chdir(found.folder):  # from which the paths of its config count
        plan = Plan(found.config)
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
    """Return a page that is made of all tables, be they whole or not."""
    if form != "markdown":
        raise InputError(name, f"has no form {form}", f"leave out --{form}")
    for folder in (layout.TABLES, layout.INCOMPLETE):
        path = Path(layout.place(plan.out, folder), f"{name}.md")
        if path.is_file():
            return read_text(path)
    raise InputError(path, "is not made yet", "semblance run makes it")


def _one_table(plan: Plan, name: str, form: str) -> str:
    from workflow.controller import incomplete  # slow to import: the libraries of the tables

    if name not in plan.config.tables:
        known = ", ".join([*plan.config.tables, *PAGES])
        raise InputError(name, "there is no such table", f"name one of {known}")
    found = incomplete.state(plan, [name])
    if found.incomplete:
        return incomplete.FORMS[form](found.tables[name])
    if form == "json":
        return read_text(layout.place(plan.out, layout.TABLE_JSON, table=name))
    return read_text(Path(layout.place(plan.out, layout.TABLES), f"{name}.{ENDINGS[form]}"))


if __name__ == "__main__":
    run(main)
