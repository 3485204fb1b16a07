"""Score one model on SentEval's seven transfer tasks; the per-item predictions are kept."""

from semblance.evaluation.transfer_run import TransferRun, evaluate_transfer
from workflow.scripts import endings
from workflow.scripts.evaluation_job import Reading
from workflow.scripts.program import program


@program(__doc__)
def main(reading: Reading, run: TransferRun, data: str) -> None:
    evaluate_transfer(run, reading.model, data, reading.target())


if __name__ == "__main__":
    endings.run(main)
