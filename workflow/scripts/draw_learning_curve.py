"""Compare trainings on parts of a FAQ bank on the same held-out questions: a table and a drawing."""

import argparse
import time
from dataclasses import asdict
from pathlib import Path

from semblance.answering.curve_picture import draw_curves
from semblance.answering.learning_curve import (
    CURVE,
    PICTURE,
    CurveSettings,
    curve_csv,
    points_of,
)
from semblance.answering.measured import read_asked, read_evaluations
from semblance.drawing.saving import svg_text
from semblance.files import write_text
from semblance.provenance import named_beside, write_record
from semblance.settings import decode_json
from workflow.scripts.endings import run


def main(argv: list[str] | None = None) -> None:
    """Read, compare, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--settings", required=True, help="JSON: the trainings on parts")
    parser.add_argument(
        "--evaluations", nargs="+", required=True, help="records of the evaluations on the folds"
    )
    parser.add_argument("--bank", type=Path, required=True, help="record of the prepared bank")
    parser.add_argument("--code", default="", help="digest of the code, for the record")
    parser.add_argument("--output", type=Path, required=True, help="the record to write")
    args = parser.parse_args(argv)
    started = time.monotonic()
    settings = decode_json(CurveSettings, args.settings)
    measured = read_evaluations(
        args.evaluations, settings.base, read_asked(args.bank.parent, settings.protocol)
    )
    points = points_of(settings, measured)
    folder = args.output.parent
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / CURVE, curve_csv(points))
    write_text(folder / PICTURE, svg_text(draw_curves(points)))
    write_record(
        args.output,
        "draw_learning_curve",
        outputs=[CURVE, PICTURE],
        started=started,
        code=args.code,
        settings=asdict(settings),
        inputs=named_beside(args.output, measured.digests),
        records=named_beside(args.output, measured.records),
    )


if __name__ == "__main__":
    run(main)
