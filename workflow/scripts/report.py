"""Make the report of an output folder, finished or not: one HTML page that needs no network.

It shows the run by the config that its last start has noted there.
"""

import argparse
import contextlib
from collections.abc import Iterator
from pathlib import Path

from semblance import layout
from semblance.files import write_text
from semblance.provenance import checked_digest, read_object, read_records, text_digest
from semblance.version import version
from workflow.planning.figures import drawn_figures
from workflow.planning.plan import Plan
from workflow.report.compose import answerer_files, compose
from workflow.report.facts import UNREADABLE, Facts
from workflow.run.started import last_output, noted_config, read_start
from workflow.scripts import cli
from workflow.scripts.endings import run
from workflow.scripts.reporting_job import Reporting


def main(argv: list[str] | None = None) -> None:
    args = parser().parse_args(argv)
    reporting = Reporting(args.record, args.code)
    out = args.output or last_output()
    if args.record:
        facts = Facts(Plan(noted_config(out, output=out)))
        path = layout.place(facts.out, layout.REPORT)
        records = dict(_files(facts))
        inputs = {shown: checked_digest(record, shown) for shown, record in records.items()}
        page = compose(facts, version())
        reporting.write("report", {path: page}, inputs, read_records(records.values()))
        return
    start = read_start(out)
    with contextlib.chdir(start.folder):  # from which the paths of its config count
        path = _written(Facts(Plan(start.config)))
    print(f"report: {path}")


def _written(facts: Facts) -> Path:
    """Write the report as it stands now; return its whole path."""
    page = compose(facts, version())
    path = Path(layout.place(facts.out, layout.REPORT)).absolute()
    noted = Path(layout.place(facts.out, layout.TABLE_RECORD, table="report"))
    with contextlib.suppress(*UNREADABLE):
        if text_digest(page) not in read_object(noted)["outputs"].values():
            noted.unlink()  # of a report that says something else: the next run makes it anew
    write_text(path, page)
    return path


def parser() -> argparse.ArgumentParser:
    flags = cli.command("semblance report", __doc__)
    cli.add_run(flags)
    flags.add_argument("--code", default="", help="digest of the code, for the record")
    flags.add_argument("--record", help="the record to write")
    return flags


def _files(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield each file that the page shows, and its record."""
    out = facts.out
    yield from answerer_files(facts)
    for name in facts.tables:
        record = layout.place(out, layout.TABLE_RECORD, table=name)
        yield layout.place(out, layout.TABLE_JSON, table=name), record
    drawn = drawn_figures(facts.plan)
    for name in facts.plan.config.figures:
        file, record = layout.FIGURE, layout.FIGURE_RECORD
        if name in drawn:
            file, record = layout.DRAWING, layout.DRAWING_RECORD
        yield tuple(layout.place(out, one, figure=name, form="svg") for one in (file, record))


if __name__ == "__main__":
    run(main)
