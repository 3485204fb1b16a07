"""The claims on the page: their bars, their summary, and those that were not run."""

from dataclasses import replace
from typing import get_args

import pytest

from semblance.reporting.claims import Claim
from semblance.reporting.claims_page import LEDGER
from semblance.reporting.judging import Judgement
from semblance.reporting.verdicts import Verdict
from workflow.report import claims, numbers
from workflow.report.claims import CENTRE, EDGE, MARGIN, SIZE, WIDTH, ZERO
from workflow.report.compose import Section, render

CLAIM = Claim("A is better than B", "Paper Table 1", "t", ("Average",), rows={})
JUDGED = Judgement("a", CLAIM, "Average", size=2.0, verdict="reproduced", margin=0.5)
MARKS = {  # of a bar, and how the page draws it
    "arrow to the left": 'd="M0 10',
    "dot": "<circle",
    "size": 'class="size"',
    "arrow to the right": 'd="M160 10',
}


def judgement(**fields) -> Judgement:
    return replace(JUDGED, **fields)


def bar(**fields):
    [(_, found)] = claims.section([judgement(**fields)]).lines
    return found


def page(*judgements: Judgement) -> str:
    part = Section("claims", "The claims", claims.section(judgements))
    return render(title="t", subtitle="s", warnings=[], made_with=[], parts=[part])


@pytest.mark.parametrize("size", [0.3, 2.0, 38.9])
def test_zero_and_the_papers_size_lie_at_the_same_places_for_each_claim(size):
    found = bar(size=size, difference=size)
    assert (found.zero, found.place(0.0), found.place(size)) == (ZERO, ZERO, SIZE)


def test_a_claim_of_no_difference_is_centred_and_scaled_by_its_margin():
    found = bar(claim=replace(CLAIM, expects="none"), size=0.0, difference=0.5)
    assert (found.zero, found.place(0.5), found.place(-0.5)) == (
        CENTRE,
        CENTRE + MARGIN,
        CENTRE - MARGIN,
    )


def test_without_a_difference_there_is_no_bar():
    assert bar(verdict="undecided", difference=None) is None


def test_what_lies_beyond_the_bar_is_drawn_at_its_edge():
    found = bar(difference=1.0)
    assert (found.place(-90.0), found.place(90.0)) == (EDGE, WIDTH - EDGE)


@pytest.mark.parametrize(
    "size, difference, ends, marks",
    [
        (2.0, 1.0, (0.5, 1.5), {"dot", "size"}),
        (0.1, 0.0, (-9.0, 9.0), {"arrow to the left", "dot", "size", "arrow to the right"}),
        (0.1, 0.6, (0.4, 0.8), {"size", "arrow to the right"}),
        (2.0, -5.0, (-6.0, -4.0), {"arrow to the left", "size"}),
        (2.0, -5.0, (None, None), {"arrow to the left", "size"}),
    ],
)
def test_a_bar_marks_what_lies_beyond_it_and_draws_no_dot_there(size, difference, ends, marks):
    low, high = ends
    text = page(judgement(size=size, difference=difference, low=low, high=high))
    assert {mark for mark, drawn in MARKS.items() if drawn in text} == marks
    assert ('class="range"' in text) == (low is not None)


def test_a_bar_shows_interval_and_margin_in_units_of_the_papers_size():
    text = page(judgement(difference=1.0, low=0.5, high=1.5))
    unit = (SIZE - ZERO) / 2.0
    low, high = ZERO + unit / 2, ZERO + 1.5 * unit
    assert f'class="range" x1="{low}" y1="10" x2="{high}"' in text
    assert f'class="band" x="{ZERO - unit / 2}" y="2" width="{unit}"' in text
    assert 'aria-label="+1.00 [+0.50, +1.50], the paper +2.00"' in text


def test_the_summary_counts_verdicts_and_says_how_many_are_on_stand_ins():
    some = [
        judgement(name="a", difference=1.0, stand_in=True),
        judgement(name="b", verdict="contradicted", difference=-1.0),
        judgement(name="c", verdict="not run", why="t lacks a row"),
    ]
    said = claims.section(some).summary
    assert said.startswith("3 claims: 2 verdicts (1 reproduced, 1 contradicted), 1 without.")
    assert f"Rules of verdicts: version {LEDGER}." in said
    assert "1 of the verdicts are on stand-ins" in said


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
    assert numbers.signed(value) == text


def test_an_interval_needs_both_ends():
    assert numbers.interval(judgement(low=-1.0, high=2.0)) == "[−1.00, +2.00]"
    assert numbers.interval(judgement(high=2.0)) == ""
