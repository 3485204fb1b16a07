"""Compare trainings on parts of a FAQ bank on the same held-out questions: a table and a drawing."""

import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from semblance.drawing.saving import svg_text
from semblance.files import write_text
from semblance.layout import CURVE_PICTURE, CURVE_TABLE
from semblance.provenance import named_beside, write_record
from semblance_faq.judge.evaluations import read_evaluations, read_questions
from semblance_faq.judge.learning_curve import CurveSettings, curve_csv, points_of
from semblance_faq.judge.pictures import draw_curves
from workflow.scripts.endings import run
from workflow.scripts.program import program


@program(__doc__)
def main(
    settings: CurveSettings, evaluations: Sequence[str], bank: Path, output: Path, code: str = ""
) -> None:
    started = time.monotonic()
    questions = read_questions(bank.parent, settings.protocol)
    found = read_evaluations(evaluations, settings.base, questions)
    points = points_of(settings, found)
    write_text(output.parent / CURVE_TABLE, curve_csv(points))
    write_text(output.parent / CURVE_PICTURE, svg_text(draw_curves(points)))
    write_record(
        output,
        "draw_learning_curve",
        outputs=[CURVE_TABLE, CURVE_PICTURE],
        started=started,
        code=code,
        settings=asdict(settings),
        inputs=named_beside(output, found.digests),
        records=named_beside(output, found.records),
    )


if __name__ == "__main__":
    run(main)
