"""Embed each distinct sentence of a corpus with a frozen model, in evaluation mode, as float16."""

from semblance.gpus import take_gpu
from semblance.models.compute import Compute
from semblance.training.embeddings import embed
from workflow.scripts.cli import reading
from workflow.scripts.endings import run


def main(argv: list[str] | None = None) -> None:
    """Embed and write."""
    parser = reading(__doc__)
    parser.add_argument("--tokens", required=True, help="record of the corpus's tokens")
    parser.add_argument("--max-length", type=int, required=True, help="longest input in tokens")
    args = parser.parse_args(argv)
    compute = Compute(args.threads, args.gpus, args.precision, args.matmul)
    take_gpu(args.gpus, args.jobs_per_gpu)
    embed(args.model, args.tokens, args.output.parent, args.max_length, compute, args.code)


if __name__ == "__main__":
    run(main)
