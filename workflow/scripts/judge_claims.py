"""Judge what the papers claim by our tables: a verdict for each claim, as CSV and as a page."""

import time

from semblance.files import write_text
from semblance.provenance import beside, file_digest, named_beside, read_records, write_record
from semblance.reporting.claims import check_names, read_claims
from semblance.reporting.claims_page import claims_csv, claims_markdown
from semblance.reporting.judging import judge
from semblance.reporting.published import read_published
from semblance.reporting.table import read_tables, table_digests
from workflow.planning.claims import known_names
from workflow.scripts import cli
from workflow.scripts.endings import run

FORMS = {"csv": claims_csv, "markdown": claims_markdown}


def main(argv: list[str] | None = None) -> None:
    parser = cli.of_tables(__doc__)
    parser.add_argument("--claims", required=True, help="the papers' claims (claims.yaml)")
    parser.add_argument("--published", required=True, help="the papers' numbers (published.yaml)")
    for form in FORMS:
        parser.add_argument(f"--{form}", required=True, help=f"the {form} file to write")
    args = parser.parse_args(argv)
    started = time.monotonic()
    published = read_published(args.published)
    claims = read_claims(args.claims)
    check_names(claims, known_names(), published)
    inputs = table_digests(args.tables)
    tables = {table.name: table for table in read_tables(inputs)}
    judgements = judge(claims, tables, published)
    written = {getattr(args, name): form for name, form in FORMS.items()}
    for path, form in written.items():
        write_text(path, form(judgements))
    named = named_beside(args.record, inputs)
    digests = {"claims": file_digest(args.claims), "published": file_digest(args.published)}
    write_record(
        args.record,
        "judge_claims",
        outputs=[beside(args.record, path) for path in written],
        started=started,
        code=args.code,
        inputs=named | digests,
        records=named_beside(args.record, read_records(args.tables)),
        tables=list(named),
    )


if __name__ == "__main__":
    run(main)
