"""Compare our tables with the papers' numbers: a verdict for each cell, with its tolerance."""

import time

from semblance.files import write_text
from semblance.provenance import beside, file_digest, named_beside, read_records, write_record
from semblance.reporting.comparison import TOLERANCE, compare_published, ledger
from semblance.reporting.published import read_published
from semblance.reporting.table import read_tables, table_digests
from workflow.scripts import cli
from workflow.scripts.endings import run


def main(argv: list[str] | None = None) -> None:
    parser = cli.of_tables(__doc__)
    parser.add_argument("--published", required=True, help="the papers' numbers (published.yaml)")
    parser.add_argument(
        "--tolerance", type=float, default=TOLERANCE, help="points within which a value agrees"
    )
    parser.add_argument("--output", required=True, help="the Markdown page to write")
    args = parser.parse_args(argv)
    started = time.monotonic()
    published = read_published(args.published)
    inputs = table_digests(args.tables)
    records = compare_published(read_tables(inputs), published, args.tolerance)
    write_text(args.output, ledger(records, published, args.tolerance))
    named = named_beside(args.record, inputs)
    write_record(
        args.record,
        "compare_published",
        outputs=[beside(args.record, args.output)],
        started=started,
        code=args.code,
        inputs=named | {"published": file_digest(args.published)},
        records=named_beside(args.record, read_records(args.tables)),
        tables=list(named),
        tolerance=args.tolerance,
    )


if __name__ == "__main__":
    run(main)
