"""Train a base on by masked words over a corpus, without a loss of sentences; the last weights are kept."""

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
    args = training(__doc__).parse_args(argv)
    settings = decode_json(TrainSettings, args.settings)
    take_gpu(settings.gpus, args.jobs_per_gpu)
    inputs = TrainingInputs(args.base, args.corpus, args.tokens)
    train(
        inputs,
        args.output.parent,
        settings,
        stage="pretrain",
        code=args.code,
        cadence=Cadence(args.checkpoint_minutes, args.checkpoint_steps, args.stop_at),
    )


if __name__ == "__main__":
    run(main)
