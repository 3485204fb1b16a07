"""Score one model on the seven STS tasks and STS-B dev; the per-pair predictions are kept."""

from semblance.evaluation.scored import Target
from semblance.evaluation.sts import StsRun, evaluate_sts
from workflow.scripts import endings
from workflow.scripts.program import program
from workflow.scripts.reading_job import ReadingJob


@program(__doc__)
def main(reading: ReadingJob, run: StsRun, model: str, test: str, dev: str) -> None:
    reading.take_gpu()
    target = Target(reading.output, reading.compute, reading.code)
    evaluate_sts(run, model, test, dev, target)


if __name__ == "__main__":
    endings.run(main)
