"""Score one model on the seven STS tasks and STS-B dev; the per-pair predictions are kept."""

import argparse
from pathlib import Path

from semblance.evaluation.report import StsRun, evaluate_sts
from semblance.models.devices import take_gpu
from semblance.settings import decode_json
from workflow.scripts.cli import run


def main(argv: list[str] | None = None) -> None:
    """Evaluate and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", required=True, help="JSON: corpus, base, method, seed, protocol")
    parser.add_argument("--model", required=True, help="record of the model")
    parser.add_argument("--pairs", required=True, help="record of the scored pairs")
    parser.add_argument("--threads", type=int, default=1, help="threads")
    parser.add_argument("--gpus", type=int, default=0, help="1: use a GPU where there is one")
    parser.add_argument("--jobs-per-gpu", type=int, default=1, help="jobs that may share one GPU")
    parser.add_argument("--code", default="", help="digest of the code, for the record")
    parser.add_argument("--output", type=Path, required=True, help="the record to write; scores.csv and predictions.parquet lie beside it")
    args = parser.parse_args(argv)
    which = decode_json(StsRun, args.run, "--run")
    take_gpu(args.gpus, args.jobs_per_gpu)
    evaluate_sts(which, args.model, args.pairs, args.output, args.threads, args.gpus, args.code)


if __name__ == "__main__":
    run(main)
