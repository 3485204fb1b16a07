"""Choose the way to answer a FAQ on its folds, judge it, and write one folder that answers."""

import argparse
from pathlib import Path

from semblance.gpus import take_gpu
from semblance.settings import decode_json
from semblance_faq.judge.building import AnswererSettings, Sources, build_answerer
from workflow.scripts.endings import run


def main(argv: list[str] | None = None) -> None:
    """Choose, judge and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", required=True, help="JSON: what the answerer is made of")
    parser.add_argument("--bank", required=True, help="record of the bank")
    parser.add_argument(
        "--models", nargs="+", required=True, help="records, in the order of the settings' models"
    )
    parser.add_argument(
        "--evaluations", nargs="+", required=True, help="records of the evaluations on the folds"
    )
    parser.add_argument(
        "--learning-curve", nargs="*", default=[], help="record of its learning curves, if any"
    )
    parser.add_argument("--gpus", type=int, required=True, help="1: use a GPU if there is one")
    parser.add_argument("--jobs-per-gpu", type=int, default=1, help="jobs that may share one GPU")
    parser.add_argument("--code", default="", help="digest of the code, for the record")
    parser.add_argument("--output", type=Path, required=True, help="the record to write")
    args = parser.parse_args(argv)
    wanted = decode_json(AnswererSettings, args.settings)
    take_gpu(args.gpus, args.jobs_per_gpu)
    curves = tuple(args.learning_curve)
    sources = Sources(args.bank, tuple(args.models), tuple(args.evaluations), curves)
    build_answerer(wanted, sources, args.output, args.gpus, args.code)


if __name__ == "__main__":
    run(main)
