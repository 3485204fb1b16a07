"""Train one entropy model (RCL Eq. 2) for one φ; early stopping watches the training loss."""

from workflow.scripts.endings import run
from workflow.scripts.program import program
from workflow.scripts.training_job import Training


@program(__doc__)
def main(training: Training) -> None:
    training.take_gpu()
    training.run("train_entropy")


if __name__ == "__main__":
    run(main)
