"""Rank every answer of a FAQ bank for each test and dev question of a fold; the ranks are kept."""

from semblance.evaluation.faq import FaqRun, evaluate_faq
from semblance.evaluation.scored import Target
from semblance.gpus import take_gpu
from semblance.models.compute import Compute
from semblance.settings import decode_json
from workflow.scripts.cli import reading
from workflow.scripts.endings import run


def main(argv: list[str] | None = None) -> None:
    """Evaluate and write."""
    parser = reading(__doc__)
    parser.add_argument(
        "--run",
        required=True,
        help="JSON: corpus, base, method, seed, bank, fold, protocols, phi, ranking",
    )
    parser.add_argument("--bank", required=True, help="record of the bank")
    parser.add_argument("--dev", required=True, help="record of the fold's dev questions")
    parser.add_argument("--max-length", type=int, required=True, help="longest input in tokens")
    args = parser.parse_args(argv)
    which = decode_json(FaqRun, args.run, "--run")
    compute = Compute(args.threads, args.gpus, args.precision, args.matmul)
    take_gpu(args.gpus, args.jobs_per_gpu)
    target = Target(args.output, compute, args.code)
    evaluate_faq(which, args.model, args.bank, args.dev, args.max_length, target)


if __name__ == "__main__":
    run(main)
