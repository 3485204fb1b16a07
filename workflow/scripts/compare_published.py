"""Compare our tables with the papers' numbers: a verdict for each cell, with its tolerance."""

from collections.abc import Sequence

from semblance.provenance import beside, read_records
from semblance.reporting.comparison import TOLERANCE, ledger
from semblance.reporting.published import read_published
from semblance.reporting.table import read_tables, table_digests
from workflow.scripts.endings import run
from workflow.scripts.program import program
from workflow.scripts.reporting_job import Reporting, by_stem


@program(__doc__)
def main(
    tables: Sequence[str],
    papers: Sequence[str],
    output: str,
    reporting: Reporting,
) -> None:
    printed = read_published(papers)
    inputs = table_digests(tables)
    reporting.write(
        "compare_published",
        {output: ledger(read_tables(inputs), printed)},
        inputs,
        read_records(tables),
        own=by_stem(papers),
        tables=[beside(reporting.record, path) for path in inputs],
        tolerance=TOLERANCE,
    )


if __name__ == "__main__":
    run(main)
