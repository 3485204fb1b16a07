"""Join the scores of all runs into the one long CSV from which every table is made.

Give the files by name (--scores). If there are too many names for a command line, give a root
folder, and as JSON the runs below it with their seeds: {"sts/nli/bert-base/simcse": [1, 2, 3], ...}.
Each file is checked against the record.json beside it.
"""

import argparse
import time

from semblance.errors import InputError
from semblance.provenance import beside, write_record
from semblance.reporting.scores import collect, score_digests, write_scores
from semblance.settings import parse_json
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
    paths = args.scores or paths_of(args.root, args.runs)
    inputs = score_digests(paths)
    write_scores(collect(paths), args.output)
    write_record(
        args.record,
        "collect_scores",
        outputs=[beside(args.record, args.output)],
        started=started,
        code=args.code,
        inputs={beside(args.record, path): digest for path, digest in inputs.items()},
    )


def paths_of(root: str, runs: str) -> list[str]:
    """Return the score file of each run and seed; raises InputError for any other JSON."""
    seeds = parse_json(runs, "--runs")
    try:
        return [f"{root}/{run}/seed-{int(seed)}/scores.csv" for run in seeds for seed in seeds[run]]
    except (TypeError, ValueError, LookupError) as error:
        raise InputError("--runs", f"not a JSON of runs and seeds ({error})") from None


if __name__ == "__main__":
    run(main)
