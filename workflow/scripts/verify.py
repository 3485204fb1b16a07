"""Recompute every cell of every table from the predictions, and check every digest and record.

Prints how many checks hold, and each problem as `path: what`; exit status 1 if there is a problem.
"""

import argparse
import sys
from pathlib import Path

from semblance.audit.findings import report
from semblance.audit.verify import PUBLISHED, verify
from workflow.scripts.endings import run


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="semblance verify",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("results", type=Path, help="the results folder")
    parser.add_argument(
        "--resources", type=Path, help="its resources folder (default: `resources` beside it)"
    )
    parser.add_argument(
        "--published", default=PUBLISHED, help="the papers' numbers (published.yaml)"
    )
    parser.add_argument(
        "--bootstrap", action="store_true", help="draw the bootstrap p values again, too (slow)"
    )
    args = parser.parse_args(argv)
    found = verify(args.results, args.resources, args.published, args.bootstrap)
    print(report(found), end="")
    if found.problems:
        sys.exit(1)
    print(f"The way to any one cell: semblance explain TABLE ROW COLUMN --results {args.results}")


if __name__ == "__main__":
    run(main)
