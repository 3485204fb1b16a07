"""Rank every answer of a FAQ bank for each test and dev question of a fold; the ranks are kept."""

from semblance.evaluation.faq import FaqRun, evaluate_faq
from semblance.evaluation.scored import Target
from workflow.scripts import endings
from workflow.scripts.program import program
from workflow.scripts.reading_job import ReadingJob


@program(__doc__)
def main(
    reading: ReadingJob, run: FaqRun, model: str, bank: str, dev: str, max_length: int
) -> None:
    reading.take_gpu()
    target = Target(reading.output, reading.compute, reading.code)
    evaluate_faq(run, model, bank, dev, max_length, target)


if __name__ == "__main__":
    endings.run(main)
