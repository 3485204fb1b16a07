"""Write the data of one figure from the files of finished runs.

Each file is checked against its record. Nothing is computed a second time.
"""

from semblance.figures import FigureSettings, collected_csv, file_digests, source_files
from semblance.provenance import read_records
from semblance.settings import decode
from workflow.scripts.endings import run
from workflow.scripts.program import program
from workflow.scripts.reporting_job import Reporting


@program(__doc__)
def main(settings: dict, results: str, output: str, reporting: Reporting) -> None:
    figure = decode(FigureSettings, settings, "--settings")
    inputs = file_digests(figure, results)
    records = read_records(source.record for source in source_files(figure, results))
    files = {output: collected_csv(figure, results)}
    reporting.write("collect_figure", files, inputs, records, settings=settings)


if __name__ == "__main__":
    run(main)
