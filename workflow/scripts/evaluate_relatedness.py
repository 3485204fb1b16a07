"""Score one model on STS-B and SICK by a regressor; the per-pair predictions are kept."""

from semblance.evaluation.relatedness import RelatednessRun, evaluate_relatedness
from semblance.evaluation.scored import Target
from workflow.scripts import endings
from workflow.scripts.program import program
from workflow.scripts.reading_job import ReadingJob


@program(__doc__)
def main(reading: ReadingJob, run: RelatednessRun, model: str, data: str) -> None:
    reading.take_gpu()
    target = Target(reading.output, reading.compute, reading.code)
    evaluate_relatedness(run, model, data, target)


if __name__ == "__main__":
    endings.run(main)
