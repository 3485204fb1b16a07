"""Make the report of an output folder, finished or not: one HTML page that needs no network.

It shows the run by the config that its last start has noted there.
"""

import argparse
import contextlib
from pathlib import Path

from semblance import layout
from semblance.files import write_text
from semblance.provenance import read_object, text_digest
from semblance.version import version
from workflow.planning.outline import outline
from workflow.planning.plan import Plan
from workflow.report.compose import compose
from workflow.report.facts import UNREADABLE, Facts
from workflow.run.current_tables import tables_now
from workflow.run.started import last_output, read_start
from workflow.scripts import cli


def main(argv: list[str]) -> None:
    args = parser().parse_args(argv)
    start = read_start(args.output or last_output())
    with contextlib.chdir(start.folder):  # from which the paths of its config count
        plan = Plan(start.config)
        page = compose(Facts(outline(plan), *tables_now(plan)), version())
        path = Path(layout.place(plan.out, layout.REPORT)).absolute()
        noted = Path(layout.place(plan.out, layout.TABLE_RECORD, table="report"))
        with contextlib.suppress(*UNREADABLE):
            if text_digest(page) not in read_object(noted)["outputs"].values():
                noted.unlink()  # of a report that says something else: the next run makes it anew
        write_text(path, page)
    print(f"report: {path}")


def parser() -> argparse.ArgumentParser:
    flags = cli.command("semblance report", __doc__)
    cli.add_run(flags)
    return flags
