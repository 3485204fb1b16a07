"""Train one method for the few steps of a figure, and measure alignment and uniformity on the way.

They are measured on a fixed sample of STS-B's dev pairs. The model itself is not kept.
"""

import argparse

from semblance.evaluation.curve import geometry_measure
from semblance.gpus import take_gpu
from semblance.settings import decode_json
from semblance.training.inputs import TrainingInputs
from semblance.training.keeping.checkpoint import Cadence
from semblance.training.recipe import TrainSettings
from semblance.training.run import train
from workflow.scripts.cli import training
from workflow.scripts.endings import run


def main(argv: list[str] | None = None) -> None:
    """Train, measure and write."""
    parser = training(__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--dev", required=True, help="record of STS-B's dev pairs")
    parser.add_argument("--regulators", nargs="*", default=[], help="records of frozen embeddings")
    args = parser.parse_args(argv)
    settings = decode_json(TrainSettings, args.settings)
    take_gpu(settings.gpus, args.jobs_per_gpu)
    measure, record = geometry_measure(args.dev, args.base)
    inputs = TrainingInputs(
        args.base,
        args.corpus,
        args.tokens,
        args.regulators,
        dev=measure,
        dev_record=record,
        keeps_model=False,
    )
    train(
        inputs,
        args.output.parent,
        settings,
        stage="train_curve",
        code=args.code,
        cadence=Cadence(args.checkpoint_minutes, args.checkpoint_steps, args.stop_at),
    )


if __name__ == "__main__":
    run(main)
