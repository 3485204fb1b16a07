"""Fit the whitening of a base on the distinct sentences of a corpus; the model has it as a layer."""

from semblance.training.whitening import fit_whitening
from workflow.scripts.endings import run
from workflow.scripts.program import program
from workflow.scripts.reading_job import ReadingJob


@program(__doc__)
def main(reading: ReadingJob, model: str, tokens: str) -> None:
    reading.take_gpu()
    fit_whitening(model, tokens, reading.output.parent, reading.compute, reading.code)


if __name__ == "__main__":
    run(main)
