"""Write the data of one figure, measured on the embeddings of its models."""

import argparse

from semblance.evaluation.measured import FigureInputs, measure_figure
from semblance.evaluation.scored import Target
from semblance.figures import FigureSettings
from semblance.gpus import take_gpu
from semblance.models.compute import Compute
from semblance.settings import decode_json
from workflow.scripts.cli import add_compute
from workflow.scripts.endings import run


def main(argv: list[str] | None = None) -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", required=True, help="the figure's settings, as JSON")
    parser.add_argument("--models", required=True, nargs="+", help="record of each model, in order")
    parser.add_argument("--texts", required=True, help="record of the STS tests, or of a corpus")
    parser.add_argument("--csv", required=True, help="the CSV to write")
    add_compute(parser)
    args = parser.parse_args(argv)
    settings = decode_json(FigureSettings, args.settings, "--settings")
    compute = Compute(args.threads, args.gpus, args.precision, args.matmul)
    take_gpu(args.gpus, args.jobs_per_gpu)
    inputs = FigureInputs(tuple(args.models), args.texts)
    measure_figure(settings, inputs, args.csv, Target(args.output, compute, args.code))


if __name__ == "__main__":
    run(main)
