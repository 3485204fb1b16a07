"""Join the scores of all runs into one long CSV.

Give the files by name (--scores). If there are too many names for a command line, give a root
folder, and as JSON the runs below it with their seeds: {"sts/nli/bert-base/simcse": [1, 2, 3], ...}.
Each file is checked against the record.json beside it.
"""

import argparse
import time

from semblance.provenance import beside, named_beside, write_record
from semblance.reporting.scores import (
    collect,
    score_digests,
    score_paths,
    score_records,
    write_scores,
)
from workflow.scripts.endings import run


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--scores", nargs="+", metavar="PATH", help="score files")
    source.add_argument("--runs", metavar="JSON", help="runs below --root, with their seeds")
    parser.add_argument("--root", default=".", help="the folder of --runs")
    parser.add_argument("--output", required=True, help="the long CSV to write")
    parser.add_argument("--code", default="", help="digest of the code, for the record")
    parser.add_argument("--record", required=True, help="the record to write")
    args = parser.parse_args(argv)
    started = time.monotonic()
    paths = args.scores or score_paths(args.root, args.runs)
    inputs = score_digests(paths)
    write_scores(collect(paths), args.output)
    write_record(
        args.record,
        "collect_scores",
        outputs=[beside(args.record, args.output)],
        started=started,
        code=args.code,
        inputs=named_beside(args.record, inputs),
        records=named_beside(args.record, score_records(paths)),
    )


if __name__ == "__main__":
    run(main)
