"""Draw one figure from its CSV, as SVG and as PNG; the same CSV gives the same bytes."""

import argparse
import time

from semblance.drawing.saving import DrawingSettings, draw_csv, png_bytes, svg_text
from semblance.files import whole_file, write_text
from semblance.provenance import beside, checked, named_beside, read_records, write_record
from semblance.settings import decode, parse_json
from workflow.scripts.endings import run


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", required=True, help="the kind and the labels, as JSON")
    parser.add_argument("--csv", required=True, help="the figure's data")
    parser.add_argument("--data", required=True, help="the record of the data")
    parser.add_argument("--svg", required=True, help="the drawing to write, for print and pages")
    parser.add_argument("--png", required=True, help="the drawing to write, as a picture")
    parser.add_argument("--code", default="", help="digest of the code, for the record")
    parser.add_argument("--record", required=True, help="the record to write")
    args = parser.parse_args(argv)
    started = time.monotonic()
    plain = parse_json(args.settings, "--settings")
    settings = decode(DrawingSettings, plain, "--settings")
    name = beside(args.data, args.csv)
    digest = checked(args.data, name)["outputs"][name]
    figure = draw_csv(settings, args.csv)
    write_text(args.svg, svg_text(figure))
    with whole_file(args.png) as temporary:
        temporary.write_bytes(png_bytes(figure))
    write_record(
        args.record,
        "draw_figure",
        outputs=[beside(args.record, path) for path in (args.svg, args.png)],
        started=started,
        code=args.code,
        inputs=named_beside(args.record, {args.csv: digest}),
        records=named_beside(args.record, read_records([args.data])),
        settings=plain,
    )


if __name__ == "__main__":
    run(main)
