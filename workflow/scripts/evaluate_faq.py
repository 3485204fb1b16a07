"""Rank every answer of a FAQ bank for each test question of a fold; the ranks are kept."""

import argparse
from pathlib import Path

from semblance.evaluation.report import FaqRun, evaluate_faq
from semblance.models.devices import take_gpu
from semblance.settings import decode_json
from workflow.scripts.cli import run


def main(argv: list[str] | None = None) -> None:
    """Evaluate and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", required=True, help="JSON: corpus, base, method, seed, bank, fold, protocols")
    parser.add_argument("--model", required=True, help="record of the model")
    parser.add_argument("--bank", required=True, help="record of the bank")
    parser.add_argument("--max-length", type=int, required=True, help="longest input in tokens")
    parser.add_argument("--threads", type=int, default=1, help="threads")
    parser.add_argument("--gpus", type=int, default=0, help="1: use a GPU where there is one")
    parser.add_argument("--jobs-per-gpu", type=int, default=1, help="jobs that may share one GPU")
    parser.add_argument("--code", default="", help="digest of the code, for the record")
    parser.add_argument("--output", type=Path, required=True, help="the record to write; scores.csv and predictions.parquet lie beside it")
    args = parser.parse_args(argv)
    which = decode_json(FaqRun, args.run, "--run")
    take_gpu(args.gpus, args.jobs_per_gpu)
    evaluate_faq(which, args.model, args.bank, args.output, args.max_length, args.threads, args.gpus, args.code)


if __name__ == "__main__":
    run(main)
