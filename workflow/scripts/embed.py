"""Embed each distinct sentence of a corpus with an entropy model, in evaluation mode, as float16."""

import argparse
from pathlib import Path

from semblance.models.devices import take_gpu
from semblance.training.embeddings import embed
from workflow.scripts.cli import run


def main(argv: list[str] | None = None) -> None:
    """Embed and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="record of the entropy model")
    parser.add_argument("--tokens", required=True, help="record of the corpus's tokens")
    parser.add_argument("--max-length", type=int, required=True, help="longest input in tokens")
    parser.add_argument("--threads", type=int, default=1, help="threads")
    parser.add_argument("--gpus", type=int, default=0, help="1: use a GPU where there is one")
    parser.add_argument("--jobs-per-gpu", type=int, default=1, help="jobs that may share one GPU")
    parser.add_argument("--code", default="", help="digest of the code, for the record")
    parser.add_argument("--output", type=Path, required=True, help="the record to write; embeddings.npy lies beside it")
    args = parser.parse_args(argv)
    take_gpu(args.gpus, args.jobs_per_gpu)
    embed(args.model, args.tokens, args.output.parent, args.max_length, args.threads, args.gpus, args.code)


if __name__ == "__main__":
    run(main)
