"""Draw one figure from its CSV, as SVG and as PNG; the same CSV gives the same bytes."""

from semblance.drawing.saving import DrawingSettings, draw_csv, png_bytes, svg_text
from semblance.provenance import checked_digest, read_records
from semblance.settings import decode
from workflow.scripts.endings import run
from workflow.scripts.program import program
from workflow.scripts.reporting_job import Reporting


@program(__doc__)
def main(settings: dict, csv: str, data: str, svg: str, png: str, reporting: Reporting) -> None:
    drawing = decode(DrawingSettings, settings, "--settings")
    inputs = {csv: checked_digest(data, csv)}
    figure = draw_csv(drawing, csv)
    files = {svg: svg_text(figure), png: png_bytes(figure)}
    reporting.write("draw_figure", files, inputs, read_records([data]), settings=settings)


if __name__ == "__main__":
    run(main)
