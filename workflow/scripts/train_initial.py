"""Fine-tune the start checkpoint with Eq. 1 on one fold of a FAQ bank; the best dev MAP is kept."""

from semblance.evaluation.dev import dev_set
from workflow.scripts.endings import run
from workflow.scripts.program import program
from workflow.scripts.training_job import Training


@program(__doc__)
def main(training: Training, dev: str) -> None:
    training.take_gpu()
    score, record = dev_set(dev, training.base, training.settings.max_length)
    training.run("train_initial", dev=score, dev_record=record)


if __name__ == "__main__":
    run(main)
