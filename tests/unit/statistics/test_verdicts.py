"""Verdicts on claims: their definitions. tests/unit/test_benchmarks.py simulates their error rates."""

from dataclasses import asdict

import numpy as np
import pytest
from scipy import stats

from semblance.code_digest import module_digests
from semblance.provenance import canonical, text_digest
from semblance.reporting.claims import read_claims
from semblance.reporting.claims_page import LEDGER
from semblance.statistics import verdicts as v
from semblance.statistics.significance import Estimate, seeds_to_equal, seeds_to_show

SIZE = 0.9  # that the paper claims
MARGIN = v.margin_of(SIZE, 0.5)


def near(value: float, error: float = 0.1, seeds: int = 5) -> Estimate:
    return Estimate(value, error, 4, seeds=seeds)


REACH = stats.t.ppf(0.975, 4) * 0.1  # .278: half of the interval of ``near``
WIDE = stats.t.ppf(0.975, 4) * 0.3  # .833, of an error of .3
TIGHT = stats.t.ppf(0.975, 4) * 0.05  # .139, of an error of .05


@pytest.mark.parametrize(
    "value, verdict",
    [
        (SIZE, "reproduced"),
        (SIZE + MARGIN + REACH - 1e-6, "reproduced"),
        (SIZE + MARGIN + REACH + 1e-6, "larger than claimed"),
        (SIZE - REACH + 1e-6, "reproduced"),  # the interval reaches the size
        (SIZE - REACH - 1e-6, "smaller than claimed"),
        (REACH + 1e-6, "smaller than claimed"),
        (MARGIN - REACH + 1e-6, "undecided"),  # it holds 0, and ends beyond the margin
        (MARGIN - REACH - 1e-6, "no difference"),
        (0.0, "no difference"),
        (REACH - MARGIN + 1e-6, "no difference"),
        (REACH - MARGIN - 1e-6, "undecided"),
        (-REACH - 1e-6, "the other way"),  # neither within the margin nor beyond it
        (REACH - MARGIN - 2 * REACH + 1e-6, "the other way"),
        (-MARGIN - REACH - 1e-6, "contradicted"),
    ],
)
def test_a_difference_is_judged_by_its_interval(value, verdict):
    assert MARGIN == 0.45 < 2 * REACH
    assert v.of_difference(near(value), SIZE, MARGIN) == verdict


@pytest.mark.parametrize(
    "value, verdict",
    [
        (TIGHT + 1e-6, "far smaller than claimed"),
        (MARGIN - TIGHT - 1e-6, "far smaller than claimed"),
        (MARGIN - TIGHT + 1e-6, "smaller than claimed"),
        (-TIGHT - 1e-6, "a little the other way"),
        (TIGHT - MARGIN + 1e-6, "a little the other way"),
        (TIGHT - MARGIN - 1e-6, "the other way"),
    ],
)
def test_a_difference_within_the_margin_that_excludes_0_has_its_sign(value, verdict):
    assert v.of_difference(near(value, 0.05), SIZE, MARGIN) == verdict


def test_what_is_wide_is_undecided_and_nothing_is_equal_below_three_seeds():
    assert v.of_difference(near(0.0, 0.3), SIZE, MARGIN) == "undecided" and MARGIN < WIDE
    two = near(0.0, seeds=2)
    assert v.of_difference(two, SIZE, MARGIN) == "undecided"
    assert v.of_no_difference(two, MARGIN) == "undecided"
    assert v.of_question(two, MARGIN) == "open"
    assert v.of_question(near(0.0, seeds=3), MARGIN) == "equal"
    # the same number, surely above or below 0, is not said to be within the margin either
    above, below = near(0.2, 0.05, seeds=2), near(-0.2, 0.05, seeds=2)
    assert v.of_difference(above, SIZE, MARGIN) == "smaller than claimed"
    assert v.of_difference(below, SIZE, MARGIN) == "the other way"


@pytest.mark.parametrize("value, answer", [(0.003, "yes"), (-0.003, "no"), (0.0001, "equal")])
def test_a_question_is_answered_by_an_interval_without_0_however_small_it_is(value, answer):
    sure = near(value, 0.0005)
    assert v.of_question(sure, MARGIN) == answer
    assert v.of_no_difference(sure, MARGIN) == "reproduced"
    far_smaller = {"yes": "far smaller than claimed", "no": "a little the other way"}
    assert v.of_difference(sure, SIZE, MARGIN) == far_smaller.get(answer, "no difference")


@pytest.mark.parametrize(
    "among, ends",
    [
        (v.Among(), (0.025, 0.025)),
        (v.Among(readings=2), (0.0125, 0.0125)),
        (v.Among(7, 7), (0.025, 0.025 / 7)),
        (v.Among(6, 7, 2), (0.0125 / 2, 0.0125 / 6)),
    ],
)
def test_each_end_of_the_interval_has_its_own_level(among, ends):
    low, high = among.interval(near(0.2))
    assert 0.2 - low == pytest.approx(stats.t.isf(ends[0], 4) * 0.1)
    assert high - 0.2 == pytest.approx(stats.t.isf(ends[1], 4) * 0.1)


@pytest.mark.parametrize(
    "value, verdict",
    [
        (-5.0, "reproduced"),  # worse is no gain, either
        (0.5 - REACH - 1e-6, "reproduced"),
        (0.5 - REACH + 1e-6, "undecided"),
        (0.5 + REACH + 1e-6, "contradicted"),
    ],
)
def test_the_claim_of_no_gain_is_judged_by_the_upper_margin(value, verdict):
    assert v.of_no_gain(near(value), 0.5) == verdict


@pytest.mark.parametrize(
    "value, answer", [(0.9, "yes"), (-0.9, "no"), (0.0, "equal"), (0.25, "open")]
)
def test_a_question_of_ours_has_an_answer_and_no_verdict(value, answer):
    assert v.of_question(near(value), 0.45) == answer


def test_a_seed_is_far_if_it_lies_beyond_the_margin_and_five_deviations():
    seeds = {"1": 0.0, "2": 0.1, "3": 0.2, "4": 0.3}  # median .15, deviation .1
    assert v.far_seeds(seeds | {"5": 0.6}, 0.4) == ()  # .45 away: less than .5
    assert v.far_seeds(seeds | {"5": 0.7}, 0.4) == ("5",)
    assert v.far_seeds(seeds | {"5": 0.7}, 0.6) == ()  # within the margin
    assert v.far_seeds({"1": 0.0, "2": 9.0}, 0.4) == ()


def test_a_claim_without_a_size_needs_only_the_direction():
    assert v.of_difference(near(0.3), None, 0.5) == "reproduced"
    assert v.of_difference(near(-0.3), None, 0.5) == "the other way"
    assert v.of_difference(near(-0.8), None, 0.5) == "contradicted"


@pytest.mark.parametrize(
    "value, verdict",
    [
        (0.0, "reproduced"),
        (0.5 - REACH + 1e-6, "undecided"),
        (0.5 - REACH - 1e-6, "reproduced"),  # within the margin, whatever its sign
        (0.5 + REACH + 1e-6, "contradicted"),
        (-0.5 - REACH - 1e-6, "contradicted"),
        (0.6, "undecided"),
    ],
)
def test_the_claim_of_no_difference_is_judged_by_the_margin(value, verdict):
    assert v.of_no_difference(near(value), 0.5) == verdict


def test_the_margin_is_at_most_half_of_the_claimed_size():
    assert [v.margin_of(size, 0.5) for size in (0.9, 3.0, None)] == [0.45, 0.5, 0.5]


def test_more_seeds_are_asked_for_than_there_are():
    assert v.seeds_to_decide(0.001, 6, SIZE, MARGIN) == "7"
    assert v.seeds_to_decide(1000.0, 6, 0.1, 0.05) == "more than 10,000"


def test_the_seeds_that_would_decide_are_a_range_that_holds_the_true_number():
    """Of an sd of 1 they are exactly known; of six seeds the measured sd is only near to it."""
    true = max(seeds_to_show(1.0, 1.0), seeds_to_equal(0.5, 1.0))
    sds = np.random.default_rng(0).normal(size=(400, 6)).std(axis=1, ddof=1)
    ranges = [v.seeds_to_decide(sd, 6, 1.0, 0.5).split(" to ") for sd in sds]
    held = [int(low) <= true <= int(high) for low, high in ranges]
    assert np.mean(held) > 0.93  # 95 %, less two standard errors; rounding widens it
    # sqrt(5 / 12.83) = .62 and sqrt(5 / .831) = 2.45 of the sd: 6 and 15 times the squares
    factors = [np.sqrt(5 / stats.chi2.ppf(share, 5)) for share in (0.975, 0.025)]
    ends = [max(seeds_to_show(1.0, f), seeds_to_equal(0.5, f)) for f in factors]
    rounded = [10 * (ends[0] // 10), 100 * -(-ends[1] // 100)]
    assert v.seeds_to_decide(1.0, 6, 1.0, 0.5) == "{} to {}".format(*rounded)


@pytest.mark.parametrize("p_exact, holds_0", [(0.03, False), (0.07, True), (1.0, True)])
def test_the_interval_of_the_exact_test_holds_0_where_its_p_says_so(p_exact, holds_0):
    found = v.by_exact_test(near(0.5), 6, p_exact)
    low, high = found.interval()
    assert (low <= 0 <= high) == holds_0
    assert v.by_exact_test(near(0.5), 5, 0.0625) is None
    # the t-test of the new interval has the exact p
    assert np.isinf(found.error) or found.p() == pytest.approx(p_exact)


def test_the_version_of_the_ledger_is_that_of_its_rules_and_claims():
    """Whoever changes a rule or a claim after the scores were seen dates it (docs/decisions.md)."""
    rules = module_digests(v.__name__)[v.__name__]
    claims = canonical({name: asdict(claim) for name, claim in read_claims().by_name.items()})
    assert (LEDGER, text_digest(rules + claims)[:16]) == (7, "cb912135fb5aba85")
