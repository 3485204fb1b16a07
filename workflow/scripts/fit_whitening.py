"""Fit the whitening of a base on the distinct sentences of a corpus; the model has it as a layer."""

from semblance.gpus import take_gpu
from semblance.models.compute import Compute
from semblance.training.whitening import fit_whitening
from workflow.scripts.cli import reading
from workflow.scripts.endings import run


def main(argv: list[str] | None = None) -> None:
    """Fit and write."""
    parser = reading(__doc__)
    parser.add_argument("--tokens", required=True, help="record of the corpus's tokens")
    args = parser.parse_args(argv)
    compute = Compute(args.threads, args.gpus, args.precision, args.matmul)
    take_gpu(args.gpus, args.jobs_per_gpu)
    fit_whitening(args.model, args.tokens, args.output.parent, compute, args.code)


if __name__ == "__main__":
    run(main)
