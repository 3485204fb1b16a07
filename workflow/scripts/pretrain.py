"""Train a base by masked words alone over a corpus, without a loss of sentences; the last weights stay."""

from workflow.scripts.endings import run
from workflow.scripts.program import program
from workflow.scripts.training_job import Training


@program(__doc__)
def main(training: Training) -> None:
    training.take_gpu()
    training.run("pretrain")


if __name__ == "__main__":
    run(main)
