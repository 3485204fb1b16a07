"""The claims on the page: their bars, their summary, and those that were not run."""

from dataclasses import replace
from typing import get_args

import pytest

from semblance.counts import interval, signed
from semblance.reporting.claims import Claim
from semblance.reporting.claims_page import LEDGER
from semblance.reporting.judging import Judgement
from semblance.statistics.verdicts import Verdict
from workflow.report import claims
from workflow.report.claims import EDGE, WIDTH
from workflow.report.compose import Section, render

CLAIM = Claim("A is better than B", "Paper Table 1", "t", ("Average",), rows={}, expects="none")
QUESTION = replace(CLAIM, expects="difference")  # no paper prints its rows
JUDGED = Judgement("a", CLAIM, "Average", size=2.0, verdict="reproduced", margin=0.5)
MARKS = {  # of a bar, and how the page draws it
    "arrow to the left": 'd="M0 10',
    "dot": "<circle",
    "size": 'class="size"',
    "arrow to the right": 'd="M160 10',
}


def judgement(**fields) -> Judgement:
    return replace(JUDGED, **fields)


def page(*judgements: Judgement) -> str:
    part = Section("claims", "The claims", claims.section(judgements))
    return render(title="t", subtitle="s", warnings=[], made_with=[], parts=[part])


def test_all_bars_of_a_group_have_one_scale_on_which_each_difference_has_its_place():
    small, large = judgement(name="a", difference=0.1), judgement(name="b", difference=-6.6)
    [(name, scale, found)] = claims.section([small, large]).groups
    assert (name, found, scale.reach) == ("Paper", [small, large], 6.6)
    assert scale.place(-6.6) == EDGE and scale.place(0.0) == WIDTH / 2
    assert scale.place(6.6) == WIDTH - EDGE
    assert scale.place(0.1) == pytest.approx(WIDTH / 2 + (WIDTH / 2 - EDGE) / 66, abs=0.06)


def test_questions_of_ours_are_a_group_of_their_own_below_the_papers():
    question = judgement(name="q", claim=QUESTION, verdict="yes", difference=1.0)
    groups = claims.section([question, judgement(difference=1.0)]).groups
    assert [name for name, _, _ in groups] == ["Paper", "Our questions"]


def test_without_a_difference_there_is_no_bar():
    assert 'class="bar"' not in page(judgement(verdict="undecided", difference=None))


@pytest.mark.parametrize(
    "size, difference, ends, marks",
    [
        (2.0, 1.0, (0.5, 1.5), {"dot", "size"}),
        (0.1, 0.0, (-9.0, 9.0), {"arrow to the left", "dot", "size", "arrow to the right"}),
        (0.1, 1.7, (-10.28, 1.7), {"arrow to the left", "dot", "size"}),
        (2.0, -5.0, (-6.0, -4.0), {"arrow to the left", "dot", "size"}),
        (2.0, -5.0, (None, None), {"dot", "size"}),
    ],
)
def test_a_bar_always_has_its_dot_and_an_arrow_where_its_interval_goes_on(
    size, difference, ends, marks
):
    low, high = ends
    text = page(judgement(size=size, difference=difference, low=low, high=high))
    assert {mark for mark, drawn in MARKS.items() if drawn in text} == marks
    assert ('class="range"' in text) == (low is not None)


def test_a_bar_shows_interval_and_margin_on_the_scale_of_its_group():
    text = page(judgement(difference=1.0, low=0.5, high=1.5))
    unit = (WIDTH / 2 - EDGE) / 2.0  # the paper's size, 2, is the largest
    low, high = WIDTH / 2 + unit / 2, WIDTH / 2 + 1.5 * unit
    assert f'class="range" x1="{low}" y1="10" x2="{high}"' in text
    assert f'class="band" x="{WIDTH / 2 - unit / 2}" y="2" width="{unit}"' in text
    assert 'aria-label="+1.00 [+0.50, +1.50], the paper +2.00"' in text


def test_the_headline_says_how_many_claims_of_the_papers_are_reproduced():
    some = [judgement(name="a", stand_in=True), judgement(name="b", verdict="undecided")]
    found = claims.section([*some, judgement(name="q", verdict="not run", why="no table")])
    judged = "1 of the 2 claims of the papers that were judged is reproduced, 1 undecided or open;"
    assert found.headline.startswith(judged)
    assert "models and data: 1 of them." in found.headline
    assert found.counts == {"reproduced": 1, "undecided": 1}
    assert claims.section([]).headline == ""


def test_the_summary_counts_verdicts_and_claims():
    some = [
        judgement(name="a", difference=1.0, stand_in=True),
        judgement(name="b", verdict="contradicted", difference=-1.0),
        judgement(name="c", verdict="not run", why="t lacks a row"),
    ]
    said = claims.section(some).summary
    assert said == f"2 verdicts on 2 of 3 claims. Rules of verdicts: version {LEDGER}."


def test_claims_that_were_not_run_stand_together_by_their_reason_each_once():
    some = [judgement(verdict="not run", why=why) for why in ("no table", "no row", "no table")]
    other = replace(some[0], claim=replace(CLAIM, says="C is better than D"))
    ours, theirs = "A is better than B (Paper Table 1)", "C is better than D (Paper Table 1)"
    found = claims.section([*some, other]).not_run
    assert found == {"no table": [ours, theirs], "no row": [ours]}


def test_each_verdict_has_a_shape_of_its_own():
    assert set(claims.SIGNS) == set(get_args(Verdict))
    assert len(set(claims.SIGNS.values())) == len(claims.SIGNS)


def test_an_undecided_claim_says_how_many_seeds_would_decide():
    undecided = {"verdict": "undecided", "low": -1.0, "high": 1.2, "seeds_needed": 20}
    text = page(judgement(difference=0.1, **undecided))
    assert "the test items are held fixed; about 20 seeds would decide" in text


@pytest.mark.parametrize(
    "value, text", [(1.005, "+1.00"), (-0.5, "−0.50"), (-0.001, "+0.00"), (0, "+0.00"), (None, "")]
)
def test_a_difference_has_its_sign_and_a_real_minus(value, text):
    assert signed(value) == text


def test_an_interval_needs_both_ends():
    assert interval(-1.0, 2.0) == "[−1.00, +2.00]"
    assert interval(None, 2.0) == ""
