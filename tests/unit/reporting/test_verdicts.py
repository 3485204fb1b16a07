"""Verdicts on claims: their definitions. Their error rates are simulated in test_error_rates.py."""

import pytest
from scipy import stats

from semblance.code_digest import module_digests
from semblance.provenance import ROOT, canonical, text_digest
from semblance.reporting import verdicts as v
from semblance.reporting.claims_page import LEDGER
from semblance.reporting.significance import Estimate
from semblance.strict_yaml import read_yaml

SIZE = 0.9  # that the paper claims
MARGIN = v.margin_of(SIZE, 0.5)


def near(value: float, error: float = 0.1) -> Estimate:
    return Estimate(value, error, 4)


REACH = stats.t.ppf(0.975, 4) * 0.1  # .278: half of the interval of ``near``
ONE_SIDED = stats.t.ppf(0.95, 4) * 0.1  # .213


@pytest.mark.parametrize(
    "value, verdict",
    [
        (SIZE, "reproduced"),
        (SIZE + MARGIN + REACH - 1e-6, "reproduced"),
        (SIZE + MARGIN + REACH + 1e-6, "larger than claimed"),
        (SIZE - REACH + 1e-6, "reproduced"),  # the interval reaches the size
        (SIZE - REACH - 1e-6, "smaller than claimed"),
        (MARGIN - ONE_SIDED + 1e-6, "undecided"),  # its interval holds 0
        (REACH + 1e-6, "smaller than claimed"),
        (0.0, "no difference"),
        (MARGIN - ONE_SIDED - 1e-6, "no difference"),
        (-REACH - 1e-6, "contradicted"),
    ],
)
def test_a_difference_is_judged_by_its_interval(value, verdict):
    assert MARGIN == 0.45 < REACH + ONE_SIDED
    assert v.of_difference(near(value), SIZE, MARGIN) == verdict


@pytest.mark.parametrize("value", [0.003, -0.003])
def test_a_difference_within_the_margin_is_none_whatever_its_sign(value):
    """So precise that the interval excludes 0: the sign of three thousandths decides nothing."""
    sure = near(value, 0.0005)
    low, high = sure.interval()
    assert low > 0 or high < 0
    assert v.of_difference(sure, SIZE, MARGIN) == "no difference"
    assert v.of_no_difference(sure, MARGIN) == "reproduced"
    assert v.of_question(sure, MARGIN) == "equal"


@pytest.mark.parametrize(
    "value, verdict",
    [
        (-5.0, "reproduced"),  # worse is no gain, either
        (0.5 - ONE_SIDED - 1e-6, "reproduced"),
        (0.5 - ONE_SIDED + 1e-6, "undecided"),
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
    assert v.of_difference(near(-0.3), None, 0.5) == "contradicted"


@pytest.mark.parametrize(
    "value, verdict",
    [
        (0.0, "reproduced"),
        (0.5 - ONE_SIDED - 1e-6, "reproduced"),  # within the margin, though it differs from 0
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
    assert v.seeds_to_decide(0.001, 5, SIZE, MARGIN) == 6
    assert v.seeds_to_decide(1000.0, 5, 0.1, 0.05) is None


def test_the_version_of_the_ledger_is_that_of_its_rules_and_claims():
    """Whoever changes a rule or a claim after the scores were seen dates it (docs/decisions.md)."""
    rules = module_digests(v.__name__)[v.__name__]
    claims = canonical(read_yaml(ROOT / "workflow/claims.yaml"))
    assert (LEDGER, text_digest(rules + claims)[:16]) == (4, "e066a91d346a9e90")
