"""Train one method with one seed; the checkpoint with the best dev score is kept.

The dev data are pairs of STS-B (Spearman), or the dev questions of a fold of a FAQ bank (MAP).
"""

from collections.abc import Sequence

from semblance.evaluation.dev import dev_set
from semblance.training.final import with_steps_of
from workflow.scripts.endings import run
from workflow.scripts.program import program
from workflow.scripts.training_job import Training


@program(__doc__)
def main(
    training: Training, dev: str, regulators: Sequence[str] = (), steps_of: Sequence[str] = ()
) -> None:
    training.take_gpu()
    settings = with_steps_of(training.settings, steps_of)
    score, record = dev_set(dev, training.base, settings.max_length)
    inputs = {"regulators": regulators, "steps_of": steps_of}
    training.run("train", settings, dev=score, dev_record=record, **inputs)


if __name__ == "__main__":
    run(main)
