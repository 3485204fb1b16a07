"""Fine-tune the start checkpoint with Eq. 1 on one fold of a FAQ bank; the best dev MAP is kept."""

from semblance.evaluation.dev import dev_set
from semblance.gpus import take_gpu
from semblance.settings import decode_json
from semblance.training.inputs import TrainingInputs
from semblance.training.keeping.checkpoint import Cadence
from semblance.training.recipe import TrainSettings
from semblance.training.run import train
from workflow.scripts.cli import training
from workflow.scripts.endings import run


def main(argv: list[str] | None = None) -> None:
    """Train and write."""
    parser = training(__doc__)
    parser.add_argument("--dev", required=True, help="record of the dev data")
    args = parser.parse_args(argv)
    settings = decode_json(TrainSettings, args.settings)
    take_gpu(settings.gpus, args.jobs_per_gpu)
    dev, record = dev_set(args.dev, args.base, settings.max_length)
    inputs = TrainingInputs(args.base, args.corpus, args.tokens, dev=dev, dev_record=record)
    train(
        inputs,
        args.output.parent,
        settings,
        stage="train_initial",
        code=args.code,
        cadence=Cadence(args.checkpoint_minutes, args.checkpoint_steps, args.stop_at),
    )


if __name__ == "__main__":
    run(main)
