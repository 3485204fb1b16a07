"""Judge what the papers claim by our tables: a verdict for each claim, as CSV and as a page."""

from collections.abc import Sequence

from semblance.provenance import beside, read_records
from semblance.reporting.claims import read_claims
from semblance.reporting.claims_page import claims_csv, claims_markdown
from semblance.reporting.judging import judge
from semblance.reporting.published import read_published
from semblance.reporting.table import read_tables, table_digests
from workflow.scripts.endings import run
from workflow.scripts.program import program
from workflow.scripts.reporting_job import Reporting, by_stem


@program(__doc__)
def main(
    tables: Sequence[str],
    papers: Sequence[str],
    csv: str,
    markdown: str,
    reporting: Reporting,
) -> None:
    printed = read_published(papers)
    claimed = read_claims(papers)
    inputs = table_digests(tables)
    judgements = judge(claimed, {table.name: table for table in read_tables(inputs)}, printed)
    reporting.write(
        "judge_claims",
        {csv: claims_csv(judgements), markdown: claims_markdown(judgements)},
        inputs,
        read_records(tables),
        own=by_stem(papers),
        tables=[beside(reporting.record, path) for path in inputs],
    )


if __name__ == "__main__":
    run(main)
