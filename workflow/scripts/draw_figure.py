"""Draw one figure from its CSV, as SVG and as PNG; the same CSV gives the same bytes."""

from semblance.drawing import draw_rows, png_bytes, read_rows, svg_text
from semblance.provenance import checked_digest, read_records
from workflow.scripts.endings import run
from workflow.scripts.program import program
from workflow.scripts.reporting_job import Reporting


@program(__doc__)
def main(settings: dict, csv: str, data: str, svg: str, png: str, reporting: Reporting) -> None:
    inputs = {csv: checked_digest(data, csv)}
    names = {(m["corpus"], m["base"], m["method"]): m["label"] for m in settings["models"]}
    figure = draw_rows(settings["kind"], read_rows(settings["kind"], csv), names)
    files = {svg: svg_text(figure), png: png_bytes(figure)}
    reporting.write("draw_figure", files, inputs, read_records([data]), settings=settings)


if __name__ == "__main__":
    run(main)
