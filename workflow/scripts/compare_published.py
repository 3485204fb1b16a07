"""Set our tables beside the papers' numbers, with a verdict and its tolerance for each cell."""

import argparse
from pathlib import Path

from semblance.provenance import write_text
from semblance.reporting.ledger import ledger
from semblance.reporting.published import TOLERANCE, compare, read_published
from semblance.reporting.records import from_json
from workflow.scripts.cli import run


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--published", required=True, help="the papers' numbers (published.yaml)")
    parser.add_argument("--tables", required=True, nargs="+", metavar="JSON", help="tables by render_table")
    parser.add_argument("--tolerance", type=float, default=TOLERANCE, help="points within which a value agrees")
    parser.add_argument("--output", required=True, help="the Markdown page to write")
    args = parser.parse_args(argv)

    published = read_published(args.published)
    tables = [from_json(Path(path).read_text(encoding="utf-8"), path) for path in args.tables]
    records = compare(tables, published, args.tolerance)
    write_text(args.output, ledger(records, published, args.tolerance))


if __name__ == "__main__":
    run(main)
