"""Compare our tables with the papers' numbers: a verdict for each cell, with its tolerance."""

import argparse
import time
from pathlib import Path

from semblance.files import write_text
from semblance.provenance import beside, checked, file_digest, read_text, write_record
from semblance.reporting.comparison import TOLERANCE, compare, ledger
from semblance.reporting.published import read_published
from semblance.reporting.table import from_json
from workflow.scripts.endings import run


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--published", required=True, help="the papers' numbers (published.yaml)")
    parser.add_argument(
        "--tables",
        required=True,
        nargs="+",
        metavar="RECORD",
        help="records of the tables, written by render_table",
    )
    parser.add_argument(
        "--tolerance", type=float, default=TOLERANCE, help="points within which a value agrees"
    )
    parser.add_argument("--output", required=True, help="the Markdown page to write")
    parser.add_argument("--code", default="", help="digest of the code, for the record")
    parser.add_argument("--record", required=True, help="the record to write")
    args = parser.parse_args(argv)
    started = time.monotonic()
    published = read_published(args.published)
    inputs = table_digests(args.tables)
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


def table_digests(records: list[str]) -> dict[str, str]:
    """Check the JSON of each table against its record; return {path: sha256}."""
    found = {}
    for record in map(Path, records):
        name = f"../json/{record.name}"  # as the record names it
        found[f"{record.parent}/{name}"] = checked(record, name)["outputs"][name]
    return found


if __name__ == "__main__":
    run(main)
