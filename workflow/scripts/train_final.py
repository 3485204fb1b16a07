"""Train one method with one seed on a whole FAQ bank, for as long as was best on its folds."""

from semblance.gpus import take_gpu
from semblance.settings import decode_json
from semblance.training.final import final_settings
from semblance.training.inputs import TrainingInputs
from semblance.training.keeping.checkpoint import Cadence
from semblance.training.recipe import TrainSettings
from semblance.training.run import train
from workflow.scripts.cli import training
from workflow.scripts.endings import run


def main(argv: list[str] | None = None) -> None:
    """Train and write."""
    parser = training(__doc__)
    parser.add_argument(
        "--folds", nargs="+", required=True, help="records of the trainings on the folds"
    )
    parser.add_argument("--regulators", nargs="*", default=[], help="records of frozen embeddings")
    args = parser.parse_args(argv)
    settings = decode_json(TrainSettings, args.settings)
    take_gpu(settings.gpus, args.jobs_per_gpu)
    settings = final_settings(settings, args.corpus, args.tokens, args.folds)
    train(
        TrainingInputs(args.base, args.corpus, args.tokens, args.regulators, steps_of=args.folds),
        args.output.parent,
        settings,
        stage="train_final",
        code=args.code,
        cadence=Cadence(args.checkpoint_minutes, args.checkpoint_steps, args.stop_at),
    )


if __name__ == "__main__":
    run(main)
