"""Train one method for the few steps of a figure, and measure alignment and uniformity on the way.

They are measured on a fixed sample of STS-B's dev pairs. The model itself is not kept.
"""

from collections.abc import Sequence

from semblance.evaluation.curve import geometry_measure
from workflow.scripts.endings import run
from workflow.scripts.program import program
from workflow.scripts.training_job import Training


@program(__doc__)
def main(training: Training, dev: str, regulators: Sequence[str] = ()) -> None:
    training.take_gpu()
    measure, record = geometry_measure(dev, training.base)
    inputs = {"regulators": regulators, "keeps_model": False}
    training.run("train_curve", dev=measure, dev_record=record, **inputs)


if __name__ == "__main__":
    run(main)
