"""Score one model on the seven STS tasks and STS-B dev; the per-pair predictions are kept."""

from semblance.evaluation.scored import Target
from semblance.evaluation.sts import StsRun, evaluate_sts
from semblance.gpus import take_gpu
from semblance.models.compute import Compute
from semblance.settings import decode_json
from workflow.scripts.cli import reading
from workflow.scripts.endings import run


def main(argv: list[str] | None = None) -> None:
    """Evaluate and write."""
    parser = reading(__doc__)
    parser.add_argument("--run", required=True, help="JSON: corpus, base, method, seed, phi")
    parser.add_argument("--test", required=True, help="record of the test pairs")
    parser.add_argument("--dev", required=True, help="record of the dev pairs")
    args = parser.parse_args(argv)
    which = decode_json(StsRun, args.run, "--run")
    compute = Compute(args.threads, args.gpus, args.precision, args.matmul)
    take_gpu(args.gpus, args.jobs_per_gpu)
    target = Target(args.output, compute, args.code)
    evaluate_sts(which, args.model, args.test, args.dev, target)


if __name__ == "__main__":
    run(main)
