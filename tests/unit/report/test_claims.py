"""The claims on the page: their bars, their summary, and those that were not run."""

from dataclasses import replace

import pytest

from semblance.reporting.claims import Claim
from semblance.reporting.claims_page import LEDGER
from semblance.reporting.judging import Judgement
from workflow.report import claims
from workflow.report.claims import CENTRE, EDGE, MARGIN, SIZE, WIDTH, ZERO


def judgement(expects: str = "difference", **fields) -> Judgement:
    claim = Claim(
        says="A is better than B",
        source="Paper Table 1",
        table="t",
        columns=("Average",),
        rows={},
        expects=expects,
    )
    facts = {
        "name": "a",
        "claim": claim,
        "column": "Average",
        "size": 2.0,
        "verdict": "reproduced",
        "margin": 0.5,
    }
    return Judgement(**facts | fields)


def bar(**fields):
    [line] = claims.section([judgement(**fields)]).lines
    return line.bar


def test_zero_and_the_papers_size_lie_at_the_same_places_for_each_claim():
    for size in (0.3, 2.0, 38.9):
        found = bar(size=size, difference=size, low=0.0, high=size)
        assert (found.zero, found.low) == (ZERO, ZERO)
        assert found.size == found.value == found.high == SIZE


def test_a_difference_is_drawn_in_units_of_the_papers_size():
    found = bar(size=2.0, difference=1.0, low=0.5, high=1.5)
    unit = (SIZE - ZERO) / 2.0
    assert (found.low, found.value, found.high) == (ZERO + unit / 2, ZERO + unit, ZERO + 1.5 * unit)
    assert found.margin == (ZERO - unit / 2, ZERO + unit / 2)


def test_what_lies_beyond_the_bar_is_drawn_at_its_edge_and_marked():
    found = bar(size=0.1, difference=0.0, low=-9.0, high=9.0)
    assert (found.low, found.high) == (EDGE, WIDTH - EDGE)
    assert found.beyond_low and found.beyond_high
    right = bar(size=0.1, difference=0.6, low=0.4, high=0.8)
    assert (right.beyond_low, right.value_beyond, right.beyond_high) == (False, True, True)
    left = bar(size=2.0, difference=-5.0, low=-6.0, high=-4.0)
    assert (left.beyond_low, left.value_beyond, left.beyond_high) == (True, True, False)
    alone = bar(size=2.0, difference=-5.0)
    assert alone.beyond_low and alone.value_beyond and not alone.beyond_high
    inside = bar(size=2.0, difference=1.0, low=0.5, high=1.5)
    assert not inside.beyond_low and not inside.beyond_high


def test_a_claim_of_no_difference_is_centred_and_scaled_by_its_margin():
    found = bar(expects="none", size=0.0, difference=0.5, low=0.0, high=1.0)
    assert (found.zero, found.value) == (CENTRE, CENTRE + MARGIN)
    assert found.margin == (CENTRE - MARGIN, CENTRE + MARGIN)


def test_without_a_difference_there_is_no_bar():
    assert bar(verdict="undecided", difference=None) is None


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
    other = replace(some[0], claim=replace(some[0].claim, says="C is better than D"))
    found = claims.section([*some, other]).not_run
    counts = [(reason.why, len(reason.claims)) for reason in found]
    assert counts == [("no table", 2), ("no row", 1)]


@pytest.mark.parametrize("verdict", claims.SIGNS)
def test_each_verdict_has_a_shape_of_its_own(verdict):
    assert list(claims.SIGNS.values()).count(claims.SIGNS[verdict]) == 1


def test_an_undecided_claim_says_how_many_seeds_would_decide():
    line = judgement(verdict="undecided", difference=0.1, low=-1.0, high=1.2, seeds_needed=20)
    remark = claims.section([line]).lines[0].remark
    assert remark == "the test items are held fixed; about 20 seeds would decide"
