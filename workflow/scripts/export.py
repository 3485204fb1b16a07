"""Export a model to ONNX, or the rankings of FAQ evaluations to TREC's files.

With --onnx, SOURCE is a trained FAQ, a trained model or any sentence-transformers folder of a family
that is trained here. OUTPUT becomes a copy of the model with onnx/model.onnx in it. It loads with
SentenceTransformer(OUTPUT, backend="onnx"). The vectors are compared with the model's own.

With --trec, each SOURCE is a result of an evaluation, results/scores/faq/*/*/*/seed-*; of
one model all folds may be named. Each protocol gets a folder of its own: run.txt, qrels.txt and
measures.csv. In ids, white space, quotation marks and % stand as %XX.
"""

import argparse
from pathlib import Path

from semblance.errors import InputError
from workflow.scripts import cli
from workflow.scripts.endings import run

EXAMPLES = """examples:
  semblance export my-faq/answerers/faq --onnx --output my-faq-onnx
  semblance export my-faq/scores/faq/faq-?/minilm/tuned/seed-1 --trec runs
"""


def parser() -> argparse.ArgumentParser:
    flags = cli.command("semblance export", __doc__, epilog=EXAMPLES)
    flags.add_argument("folder", nargs="+", metavar="SOURCE", help="a model, or results")
    flags.add_argument("--onnx", action="store_true", help="write an ONNX file; needs --output")
    flags.add_argument("--output", metavar="FOLDER", help="of --onnx: a new folder")
    flags.add_argument("--trec", metavar="FOLDER", help="a new folder for runs and qrels")
    return flags


def main(argv: list[str] | None = None) -> None:
    """Export what is asked for, and say what was written."""
    args = parser().parse_args(argv)
    _check_flags(args)
    if args.onnx:
        _export_model(args)
    if args.trec:
        _export_rankings(args)


def _check_flags(args: argparse.Namespace) -> None:
    """Raise InputError for flags that do not belong together."""
    if not (args.onnx or args.trec):
        raise InputError("export", "no form is named", "add --onnx or --trec FOLDER")
    if args.onnx and args.trec:
        problem = "a model and results are two exports"
        raise InputError("--onnx", problem, "leave out --trec")
    if args.onnx and (args.output is None or len(args.folder) != 1):
        raise InputError("--onnx", "needs one SOURCE and --output", "name a new folder")
    if not args.onnx and args.output is not None:
        raise InputError("--output", "belongs to --onnx", "leave it out")


def _export_model(args: argparse.Namespace) -> None:
    from semblance.exporting.onnx_export import MODEL, export_onnx, find_model, require_packages

    require_packages()
    facts = export_onnx(find_model(args.folder[0]), Path(args.output))
    print(f"{MODEL}: {facts['size'] / 1e6:.1f} MB")
    difference = f"{facts['largest difference']:.1e} away at most"
    print(f"  vectors: {difference}; least cosine {facts['least cosine']:.4f}")
    print(f'{args.output}: SentenceTransformer({args.output!r}, backend="onnx") loads it')


def _export_rankings(args: argparse.Namespace) -> None:
    from semblance.exporting.trec import lines, read_rankings, write_trec
    from semblance.files import require_new, whole_folder

    place = Path(args.trec)
    require_new(place)
    tests = read_rankings(args.folder)
    with whole_folder(place) as folder:
        for test in tests:
            write_trec(test, folder / test.protocol)
    for test in tests:
        print(f"{test.protocol}: {len(test.queries)} questions, {len(test.documents)} answers")
        for line in lines(test):
            print(f"  {line}")


if __name__ == "__main__":
    run(main)
