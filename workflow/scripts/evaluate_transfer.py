"""Score one model on SentEval's seven transfer tasks; the per-item predictions are kept."""

from semblance.evaluation.scored import Target
from semblance.evaluation.transfer import TransferRun, evaluate_transfer
from workflow.scripts import endings
from workflow.scripts.program import program
from workflow.scripts.reading_job import ReadingJob


@program(__doc__)
def main(reading: ReadingJob, run: TransferRun, model: str, data: str) -> None:
    reading.take_gpu()
    target = Target(reading.output, reading.compute, reading.code)
    evaluate_transfer(run, model, data, target)


if __name__ == "__main__":
    endings.run(main)
