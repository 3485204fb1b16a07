"""Make the report of a finished run: one HTML page that needs no network."""

from collections.abc import Iterator, Sequence

from semblance import layout
from semblance.provenance import checked_digest, read_object, read_records
from semblance.reporting.table import read_tables, table_digests
from semblance.settings import decode
from semblance.version import version
from workflow.extensions import extensions
from workflow.report.compose import compose
from workflow.report.facts import Facts
from workflow.report.outline import Outline
from workflow.scripts.endings import run
from workflow.scripts.program import program
from workflow.scripts.reporting_job import Reporting


@program(__doc__)
def main(outline: str, tables: Sequence[str], page: str, reporting: Reporting) -> None:
    told = decode(Outline, read_object(outline), outline)
    shown = {table.name: table for table in read_tables(table_digests(tables))}
    facts = Facts(told, {name: shown[name] for name in told.notes})
    records = dict(_files(facts))
    inputs = {file: checked_digest(record, file) for file, record in records.items()}
    text = compose(facts, version())
    reporting.write("report", {page: text}, inputs, read_records(records.values()))


def _files(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield each file that the page shows, and its record."""
    out = facts.out
    for each in extensions("report"):
        yield from each.files(facts)
    for name in facts.tables:
        record = layout.place(out, layout.TABLE_RECORD, table=name)
        yield layout.place(out, layout.TABLE_JSON, table=name), record
    for name in facts.outline.figures:
        file, record = layout.FIGURE, layout.FIGURE_RECORD
        if name in facts.outline.drawn:
            file, record = layout.DRAWING, layout.DRAWING_RECORD
        yield tuple(layout.place(out, one, figure=name, form="svg") for one in (file, record))


if __name__ == "__main__":
    run(main)
