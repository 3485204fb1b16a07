"""Export the rankings of FAQ evaluations to TREC's and BEIR's files.

With --trec and --beir, each SOURCE is a result of an evaluation, results/scores/faq/*/*/*/seed-*; of
one model all folds may be named. Each protocol gets a folder of its own: run.txt, qrels.txt and
measures.csv, or corpus.jsonl, queries.jsonl and qrels/test.tsv. In ids, white space, quotation marks
and % stand as %XX.
"""

import argparse
from pathlib import Path

from semblance.errors import InputError
from workflow.scripts.endings import run


def parser() -> argparse.ArgumentParser:
    """Return the flags."""
    flags = argparse.ArgumentParser(
        prog="semblance export",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    flags.add_argument("folder", nargs="+", metavar="SOURCE", help="the result of one fold")
    flags.add_argument("--trec", metavar="FOLDER", help="a new folder for runs and qrels")
    flags.add_argument("--beir", metavar="FOLDER", help="a new folder for corpora and queries")
    return flags


def main(argv: list[str] | None = None) -> None:
    """Export what is asked for, and say what was written."""
    args = parser().parse_args(argv)
    _check_flags(args)
    _export_rankings(args)


def _check_flags(args: argparse.Namespace) -> None:
    """Raise InputError for flags that do not belong together."""
    if not (args.trec or args.beir):
        raise InputError("export", "no form is named", "add --trec FOLDER or --beir FOLDER")


def _export_rankings(args: argparse.Namespace) -> None:
    from semblance.exporting.beir import write_beir
    from semblance.exporting.faq_rankings import read_rankings
    from semblance.exporting.measures import lines
    from semblance.exporting.new_folder import require_new
    from semblance.exporting.trec import write_trec
    from semblance.files import whole_folder

    forms = [(args.trec, write_trec), (args.beir, write_beir)]
    wanted = [(Path(place), write) for place, write in forms if place]
    for place, _ in wanted:
        require_new(place)
    tests = read_rankings(args.folder)
    for place, write in wanted:
        with whole_folder(place) as folder:
            for test in tests:
                write(test, folder / test.protocol)
    for test in tests:
        print(f"{test.protocol}: {len(test.queries)} questions, {len(test.documents)} answers")
        for line in lines(test):
            print(f"  {line}")


if __name__ == "__main__":
    run(main)
