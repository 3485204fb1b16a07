"""Score one model on STS-B and SICK by a regressor; the per-pair predictions are kept."""

from semblance.evaluation.relatedness_run import RelatednessRun, evaluate_relatedness
from workflow.scripts import endings
from workflow.scripts.evaluation_job import Reading
from workflow.scripts.program import program


@program(__doc__)
def main(reading: Reading, run: RelatednessRun, data: str) -> None:
    evaluate_relatedness(run, reading.model, data, reading.target())


if __name__ == "__main__":
    endings.run(main)
