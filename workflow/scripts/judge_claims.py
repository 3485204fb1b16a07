"""Judge what the papers claim by our tables: a verdict for each claim, as CSV and as a page."""

from collections.abc import Sequence

from semblance.names import START
from semblance.provenance import beside, read_records
from semblance.reporting.claims import Known, check_names, read_claims
from semblance.reporting.claims_page import claims_csv, claims_markdown
from semblance.reporting.judging import judge
from semblance.reporting.published import read_published
from semblance.reporting.table import read_tables, table_digests
from workflow.planning.config import load
from workflow.planning.layers import PROJECT, laid_over
from workflow.planning.methods import entropy_parts
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
    check_names(claimed, known_names(), printed)
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


def known_names() -> Known:
    """Return the names of all tables and bases, and what tells METHOD and CORPUS/METHOD.

    They are those of the repository's own config, since a configuration laid over it may leave out
    tables and methods. So may that config itself, by `null`: the names stay known.
    """
    written = laid_over([PROJECT])
    config = load(written)

    def is_method(name: str) -> bool:
        corpus, _, method = name.rpartition("/")
        if corpus and corpus not in written["corpora"]:
            return False
        known = method == START or method in written["methods"]
        return known or entropy_parts(config, method) is not None

    return Known(set(written["tables"]), set(written["bases"]), is_method)


if __name__ == "__main__":
    run(main)
