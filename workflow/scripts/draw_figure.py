"""Draw one figure from its CSV, as SVG and as PNG; the same CSV gives the same bytes."""

from semblance.drawing.saving import DrawingSettings, draw_csv, png_bytes, svg_text
from semblance.provenance import beside, checked
from semblance.settings import decode
from workflow.scripts.endings import run
from workflow.scripts.program import program
from workflow.scripts.reporting_job import Reporting


@program(__doc__)
def main(settings: dict, csv: str, data: str, svg: str, png: str, reporting: Reporting) -> None:
    drawing = decode(DrawingSettings, settings, "--settings")
    name = beside(data, csv)
    record = checked(data, name)
    figure = draw_csv(drawing, csv)
    files = {svg: svg_text(figure), png: png_bytes(figure)}
    inputs = {csv: record["outputs"][name]}
    reporting.write("draw_figure", files, inputs, {data: record}, settings=settings)


if __name__ == "__main__":
    run(main)
