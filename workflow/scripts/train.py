"""Train one method with one seed; the checkpoint with the best dev score is kept.

The dev data are pairs of STS-B (Spearman), or the dev questions of a fold of a FAQ bank (MAP).
"""

import argparse

from semblance.evaluation.dev import dev_set
from semblance.gpus import take_gpu
from semblance.settings import decode_json
from semblance.training.final import with_steps_of
from semblance.training.inputs import TrainingInputs
from semblance.training.keeping.checkpoint import Cadence
from semblance.training.recipe import TrainSettings
from semblance.training.run import train
from workflow.scripts.cli import training
from workflow.scripts.endings import run


def main(argv: list[str] | None = None) -> None:
    """Train and write."""
    parser = training(__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--dev", required=True, help="record of the dev data")
    parser.add_argument("--regulators", nargs="*", default=[], help="records of frozen embeddings")
    parser.add_argument(
        "--steps-of", nargs="*", default=[], help="records of trainings that take as many steps"
    )
    args = parser.parse_args(argv)
    settings = with_steps_of(decode_json(TrainSettings, args.settings), args.steps_of)
    take_gpu(settings.gpus, args.jobs_per_gpu)
    dev, record = dev_set(args.dev, args.base, settings.max_length)
    inputs = TrainingInputs(
        args.base,
        args.corpus,
        args.tokens,
        args.regulators,
        dev=dev,
        dev_record=record,
        steps_of=args.steps_of,
    )
    train(
        inputs,
        args.output.parent,
        settings,
        stage="train",
        code=args.code,
        cadence=Cadence(args.checkpoint_minutes, args.checkpoint_steps, args.stop_at),
    )


if __name__ == "__main__":
    run(main)
