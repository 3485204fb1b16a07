"""Score one model on SentEval's seven transfer tasks; the per-item predictions are kept."""

from semblance.evaluation.scored import Target
from semblance.evaluation.transfer import TransferRun, evaluate_transfer
from semblance.gpus import take_gpu
from semblance.models.compute import Compute
from semblance.settings import decode_json
from workflow.scripts.cli import reading
from workflow.scripts.endings import run


def main(argv: list[str] | None = None) -> None:
    """Evaluate and write."""
    parser = reading(__doc__)
    parser.add_argument(
        "--run", required=True, help="JSON: corpus, base, method, seed, folds, shuffle, phi"
    )
    parser.add_argument("--data", required=True, help="record of the transfer tasks' items")
    args = parser.parse_args(argv)
    which = decode_json(TransferRun, args.run, "--run")
    compute = Compute(args.threads, args.gpus, args.precision, args.matmul)
    take_gpu(args.gpus, args.jobs_per_gpu)
    target = Target(args.output, compute, args.code)
    evaluate_transfer(which, args.model, args.data, target)


if __name__ == "__main__":
    run(main)
