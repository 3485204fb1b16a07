"""Rank every answer of a FAQ bank for each test and dev question of a fold; the ranks are kept."""

from semblance.evaluation.run import FaqRun, evaluate_faq
from workflow.scripts import endings
from workflow.scripts.evaluation_job import Reading
from workflow.scripts.program import program


@program(__doc__)
def main(reading: Reading, run: FaqRun, bank: str, dev: str, max_length: int) -> None:
    evaluate_faq(run, reading.model, bank, dev, max_length, reading.target())


if __name__ == "__main__":
    endings.run(main)
