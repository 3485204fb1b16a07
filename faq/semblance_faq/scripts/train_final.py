"""Train one method with one seed on a whole FAQ bank, for as long as was best on its folds."""

from collections.abc import Sequence

from semblance.training.final import final_settings
from workflow.scripts.endings import run
from workflow.scripts.program import program
from workflow.scripts.training_job import Training


@program(__doc__)
def main(training: Training, folds: Sequence[str], regulators: Sequence[str] = ()) -> None:
    training.take_gpu()
    settings = final_settings(training.settings, training.corpus, training.tokens, folds)
    training.run("train_final", settings, regulators=regulators, steps_of=folds)


if __name__ == "__main__":
    run(main)
