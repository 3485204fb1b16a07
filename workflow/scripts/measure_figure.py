"""Write the data of one figure, measured on the embeddings of its models."""

from collections.abc import Sequence

from semblance.evaluation.measured import measure_figure
from semblance.evaluation.scored import Target
from semblance.figures import FigureSettings
from workflow.scripts.endings import run
from workflow.scripts.program import program
from workflow.scripts.reading_job import ReadingJob


@program(__doc__)
def main(
    reading: ReadingJob, settings: FigureSettings, models: Sequence[str], texts: str, csv: str
) -> None:
    reading.take_gpu()
    target = Target(reading.output, reading.compute, reading.code)
    measure_figure(settings, models, texts, csv, target)


if __name__ == "__main__":
    run(main)
