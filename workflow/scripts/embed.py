"""Embed each distinct sentence of a corpus with a frozen model, in evaluation mode, as float16."""

from semblance.training.embeddings import embed
from workflow.scripts.endings import run
from workflow.scripts.program import program
from workflow.scripts.reading_job import ReadingJob


@program(__doc__)
def main(reading: ReadingJob, model: str, tokens: str, max_length: int) -> None:
    reading.take_gpu()
    embed(model, tokens, reading.output.parent, max_length, reading.compute, reading.code)


if __name__ == "__main__":
    run(main)
