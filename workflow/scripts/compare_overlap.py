"""Set the lexical overlap of each source of pairs beside the paper's."""

import argparse
import time
from pathlib import Path

from semblance import layout
from semblance.files import write_text
from semblance.provenance import beside, file_digest, named_beside, read_records, write_record
from semblance.reporting.overlap import overlap_csv, read_overlaps
from semblance.reporting.published import read_published
from semblance.settings import parse_json
from workflow.scripts.endings import run


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", required=True, nargs="+", help="records of corpora of pairs")
    parser.add_argument("--rows", required=True, help="JSON: the published row of some corpora")
    parser.add_argument("--published", required=True, help="the papers' numbers (published.yaml)")
    parser.add_argument("--code", default="", help="digest of the code, for the record")
    parser.add_argument("--csv", required=True, help="the table to write")
    parser.add_argument("--record", required=True, help="the record to write")
    args = parser.parse_args(argv)
    started = time.monotonic()
    rows = parse_json(args.rows, "--rows")
    published = read_published(args.published)
    write_text(args.csv, overlap_csv(read_overlaps(args.corpora), rows, published))
    files = [str(Path(record).parent / layout.OVERLAP) for record in args.corpora]
    digests = named_beside(args.record, {file: file_digest(file) for file in files})
    write_record(
        args.record,
        "compare_overlap",
        outputs=[beside(args.record, args.csv)],
        started=started,
        code=args.code,
        inputs=digests | {"published": file_digest(args.published)},
        records=named_beside(args.record, read_records(args.corpora)),
        rows=rows,
    )


if __name__ == "__main__":
    run(main)
