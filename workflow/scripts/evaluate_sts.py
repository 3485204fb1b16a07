"""Score one model on the seven STS tasks and STS-B dev; the per-pair predictions are kept."""

from semblance.evaluation.run import StsRun, evaluate_sts
from workflow.scripts import endings
from workflow.scripts.evaluation_job import Reading
from workflow.scripts.program import program


@program(__doc__)
def main(reading: Reading, run: StsRun, test: str, dev: str) -> None:
    evaluate_sts(run, reading.model, test, dev, reading.target())


if __name__ == "__main__":
    endings.run(main)
