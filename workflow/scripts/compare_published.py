"""Set our tables beside the papers' numbers, with a verdict and its tolerance for each cell."""

import argparse
import time
from pathlib import Path

from semblance.files import write_text
from semblance.provenance import beside, checked, file_digest, read_text, write_record
from semblance.reporting.comparison import ledger
from semblance.reporting.published import TOLERANCE, compare, read_published
from semblance.reporting.table import from_json
from workflow.scripts.cli import run


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--published", required=True, help="the papers' numbers (published.yaml)")
    parser.add_argument(
        "--tables",
        required=True,
        nargs="+",
        metavar="RECORD",
        help="records of tables by render_table",
    )
    parser.add_argument(
        "--tolerance", type=float, default=TOLERANCE, help="points within which a value agrees"
    )
    parser.add_argument("--output", required=True, help="the Markdown page to write")
    parser.add_argument("--code", default="", help="digest of the code, for the record")
    parser.add_argument("--record", required=True, help="the record to write")
    args, started = parser.parse_args(argv), time.monotonic()

    published = read_published(args.published)
    inputs = vouched(args.tables)
    tables = [from_json(read_text(path), path) for path in inputs]
    records = compare(tables, published, args.tolerance)
    write_text(args.output, ledger(records, published, args.tolerance))
    named = {beside(args.record, path): digest for path, digest in inputs.items()}
    write_record(
        args.record,
        "compare_published",
        outputs=[beside(args.record, args.output)],
        started=started,
        code=args.code,
        inputs=named | {"published": file_digest(args.published)},
        tables=list(named),
        tolerance=args.tolerance,
    )


def vouched(records: list[str]) -> dict[str, str]:
    """Check each table's JSON, ``../json/TABLE.json`` of ``TABLE.json``, against its record; return {path: sha256}."""
    names = {record: f"../json/{Path(record).name}" for record in records}
    return {
        f"{Path(record).parent}/{name}": checked(record, name)["outputs"][name]
        for record, name in names.items()
    }


if __name__ == "__main__":
    run(main)
