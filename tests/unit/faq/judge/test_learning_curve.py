"""Learning curves: points from the folds, their table, their line, their drawing."""

import re

import numpy as np
import pytest

from semblance_faq.judge.evaluations import Evaluations, FoldRun
from semblance_faq.judge.evidence import FoldResult
from semblance_faq.judge.learning_curve import (
    CurveSettings,
    PartTrained,
    Point,
    curve_csv,
    curve_lines,
    points_of,
    read_curve,
)

PARTS = tuple(PartTrained(f"t-{percent}", "entries", percent) for percent in (25, 50, 100))
SETTINGS = CurveSettings("mine", "tiny", 2, (1, 2), "pairs", PARTS)
QUESTIONS = 40  # of a fold


def result(share):
    """A fold in which a share of the questions has average precision 1, the others .5."""
    precision = np.where(np.arange(QUESTIONS) < share * QUESTIONS, 1.0, 0.5)
    none = np.zeros(QUESTIONS)
    return FoldResult(precision, none == 1, none, none, np.arange(QUESTIONS))


def measured(shares):
    return Evaluations(
        {
            FoldRun(f"mine-{fold}", method, seed): result(share)
            for method, share in shares.items()
            for fold in (0, 1)
            for seed in (1, 2)
        }
    )


def test_each_part_is_compared_with_the_whole_on_the_same_questions():
    points = points_of(SETTINGS, measured({"t-25": 0.25, "t-50": 0.5, "t-100": 0.75}))
    assert [point.percent for point in points] == [25, 50, 100]
    assert [point.questions for point in points] == [2 * QUESTIONS] * 3  # however many seeds
    assert [point.map for point in points] == pytest.approx([0.625, 0.75, 0.875])
    assert [point.to_all for point in points] == pytest.approx([0.25, 0.125, 0])
    assert points[1].low < 0.125 < points[1].high
    assert (points[2].low, points[2].high) == (0, 0)


def test_curves_of_entries_and_of_wordings_have_the_whole_in_common():
    wordings = (PartTrained("w-50", "wordings", 50), PartTrained("t-100", "wordings", 100))
    settings = CurveSettings("mine", "tiny", 2, (1, 2), "pairs", (*PARTS, *wordings))
    shares = {"t-25": 0.25, "t-50": 0.5, "t-100": 0.75, "w-50": 0.75}
    points = points_of(settings, measured(shares))
    assert [point.of for point in points] == ["entries"] * 3 + ["wordings"] * 2
    assert points[3].to_all == 0 and points[4].map == points[2].map


def test_the_table_says_what_the_points_say(tmp_path):
    points = points_of(SETTINGS, measured({"t-25": 0.25, "t-50": 0.5, "t-100": 0.75}))
    (tmp_path / "curve.csv").write_text(curve_csv(points))
    assert read_curve(tmp_path / "curve.csv") == points


@pytest.mark.parametrize(
    "low,high,said",
    [
        (0.001, 0.02, "more may help further"),
        (-0.01, 0.02, "it is not shown that more would help"),
        (-0.02, -0.001, "more made it worse"),
    ],
)
def test_the_line_judges_the_last_step_by_its_interval(low, high, said):
    points = [
        Point("entries", 25, 9, 0.5, 0.1, 0.05, 0.2),
        Point("entries", 50, 9, 0.6, (low + high) / 2, low, high),
        Point("entries", 100, 9, 0.6, 0, 0, 0),
    ]
    [line] = curve_lines(points)
    gain = f"{50 * (low + high):+.1f}"
    expected = (
        f"More entries: {gain} points of MAP from 50% to all of them"
        f" (95% interval {100 * low:+.1f} to {100 * high:+.1f}): {said}."
    )
    assert line == expected


def test_the_drawing_names_its_curves_and_axes():
    from semblance.drawing.saving import svg_text
    from semblance_faq.judge.pictures import draw_curves

    points = points_of(SETTINGS, measured({"t-25": 0.25, "t-50": 0.5, "t-100": 0.75}))
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", svg_text(draw_curves(points)))
    assert {"of the entries", "Trained on (%)", "MAP (%)", "25", "50", "100"} <= set(texts)
