"""Verdicts on claims: their definitions, and their error rates on made-up scores of known truth."""

import math

import numpy as np
import pytest
from scipy import stats

from semblance.reporting import verdicts as v
from semblance.reporting.significance import Estimate, paired

RUNS = 2000
SIZE = 0.9  # that the paper claims
MARGIN = v.margin_of(SIZE, 0.5)
SD = 0.4  # of the paired differences, of five seeds


def near(value: float, error: float = 0.1) -> Estimate:
    return Estimate(value, error, 4)


REACH = stats.t.ppf(0.975, 4) * 0.1  # .278: half of the interval of ``near``
ONE_SIDED = stats.t.ppf(0.95, 4) * 0.1  # .213


@pytest.mark.parametrize(
    "value, verdict",
    [
        (SIZE, "reproduced"),
        (SIZE + 5, "reproduced"),  # more than claimed
        (SIZE - REACH + 1e-6, "reproduced"),  # the interval reaches the size
        (SIZE - REACH - 1e-6, "smaller than claimed"),
        (REACH + 1e-6, "smaller than claimed"),
        (0.0, "none within the margin"),
        (MARGIN - ONE_SIDED - 1e-6, "none within the margin"),
        (-REACH - 1e-6, "contradicted"),
    ],
)
def test_a_difference_is_judged_by_its_interval(value, verdict):
    assert MARGIN == 0.45 < REACH + ONE_SIDED
    assert v.of_difference(near(value), SIZE, MARGIN) == verdict


def test_what_neither_differs_nor_is_equal_is_undecided():
    wide = near(0.2, 0.3)  # from -.63 to 1.03; within ±.45 with p = .23
    assert v.of_difference(wide, SIZE, MARGIN) == "undecided"
    assert v.of_no_difference(wide, 0.5) == "undecided"


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
    assert (v.margin_of(0.9, 0.5), v.margin_of(3.0, 0.5), v.margin_of(None, 0.5)) == (
        0.45,
        0.5,
        0.5,
    )


def judged(truth: float, n: int, decide) -> dict[str, float]:
    """Return the share of each verdict in RUNS made-up experiments with a known difference."""
    rng = np.random.default_rng([int(100 * abs(truth)), n])
    found = [decide(paired(seeds)) for seeds in rng.normal(truth, SD, (RUNS, n))]
    return {verdict: found.count(verdict) / RUNS for verdict in set(found)}


def allowed(share: float) -> float:
    """A share and three standard errors of RUNS experiments."""
    return share + 3 * math.sqrt(share * (1 - share) / RUNS)


def of_difference(found):
    return v.of_difference(found, SIZE, MARGIN)


@pytest.mark.parametrize("n", [3, 5, 7, 20])
def test_without_a_difference_each_side_errs_in_one_of_forty_runs(n):
    found = judged(0.0, n, of_difference)
    assert found.get("reproduced", 0) + found.get("smaller than claimed", 0) <= allowed(0.025)
    assert found.get("contradicted", 0) <= allowed(0.025)


@pytest.mark.parametrize("n", [3, 5, 7, 20])
def test_a_difference_of_the_claimed_size_is_rarely_denied(n):
    found = judged(SIZE, n, of_difference)
    assert found.get("smaller than claimed", 0) <= allowed(0.025)
    assert found.get("contradicted", 0) <= allowed(0.025)
    assert found.get("none within the margin", 0) <= allowed(0.05)


@pytest.mark.parametrize("n", [3, 5, 7, 20])
def test_a_difference_at_the_margin_is_called_none_in_one_of_twenty_runs(n):
    assert judged(MARGIN, n, of_difference).get("none within the margin", 0) <= allowed(0.05)
    assert judged(-MARGIN, n, of_difference).get("none within the margin", 0) <= allowed(0.05)


@pytest.mark.parametrize("n", [3, 5, 7, 20])
def test_a_difference_against_the_claim_is_never_reproduced(n):
    found = judged(-SIZE, n, of_difference)
    assert found.get("reproduced", 0) + found.get("smaller than claimed", 0) <= allowed(0.025)


@pytest.mark.parametrize("n", [3, 5, 7, 20])
def test_the_claim_of_no_difference_errs_as_often_as_it_says(n):
    def decide(found):
        return v.of_no_difference(found, 0.5)

    assert judged(0.5, n, decide).get("reproduced", 0) <= allowed(0.05)
    assert judged(0.5, n, decide).get("contradicted", 0) <= allowed(0.025)
    assert judged(0.0, n, decide).get("contradicted", 0) <= allowed(0.025)


def test_the_seeds_that_would_decide_decide_either_truth_in_eighty_percent():
    n = v.seeds_to_decide(SD, 2, SIZE, MARGIN)
    shown = judged(SIZE, n, of_difference)
    assert shown.get("reproduced", 0) >= 0.8 - 3 * math.sqrt(0.8 * 0.2 / RUNS)
    none = judged(0.0, n, of_difference)
    assert none.get("none within the margin", 0) >= 0.8 - 0.05  # some are called different


def test_more_seeds_are_asked_for_than_there_are():
    assert v.seeds_to_decide(0.001, 5, SIZE, MARGIN) == 6
    assert v.seeds_to_decide(1000.0, 5, 0.1, 0.05) is None
