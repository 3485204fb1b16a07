"""Compare trainings on parts of a FAQ bank on the same held-out questions: a table and a drawing."""

import argparse
import time
from dataclasses import asdict
from pathlib import Path

from semblance.drawing.saving import svg_text
from semblance.files import write_text
from semblance.layout import CURVE_PICTURE, CURVE_TABLE
from semblance.provenance import named_beside, write_record
from semblance.settings import decode_json
from semblance_faq.judge.evaluations import read_evaluations, read_questions
from semblance_faq.judge.learning_curve import (
    CurveSettings,
    curve_csv,
    points_of,
)
from semblance_faq.judge.pictures import draw_curves
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
    questions = read_questions(args.bank.parent, settings.protocol)
    evaluations = read_evaluations(args.evaluations, settings.base, questions)
    points = points_of(settings, evaluations)
    folder = args.output.parent
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / CURVE_TABLE, curve_csv(points))
    write_text(folder / CURVE_PICTURE, svg_text(draw_curves(points)))
    write_record(
        args.output,
        "draw_learning_curve",
        outputs=[CURVE_TABLE, CURVE_PICTURE],
        started=started,
        code=args.code,
        settings=asdict(settings),
        inputs=named_beside(args.output, evaluations.digests),
        records=named_beside(args.output, evaluations.records),
    )


if __name__ == "__main__":
    run(main)
