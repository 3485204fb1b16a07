"""How often the verdicts on claims err, as docs/statistics.md states it."""

import math
from collections import Counter

import pytest

from semblance.provenance import ROOT
from workflow.documentation import error_rates as e

NOTHING, THE_SIZE, AGAINST, FAILING, ITEMS, FIXED = (
    next(truth for truth in e.TRUTHS if truth.says.startswith(start))
    for start in (
        "no difference",
        "the size",
        "the size, against",
        "no difference, one seed",
        "no difference, items",
        "the same",
    )
)
SHOWN = ("reproduced", "smaller than claimed", "larger than claimed")


def allowed(share):
    """A share and three standard errors of the simulated experiments."""
    return share + 3 * math.sqrt(share * (1 - share) / e.RUNS)


def rates(truth, sd, n):
    found = e.shares(truth, sd, n, e.of_difference)
    return sum(found.get(v, 0) for v in SHOWN), found.get("contradicted", 0), found


def test_the_page_states_the_simulated_rates():
    page = (ROOT / "docs/statistics.md").read_text(encoding="utf-8")
    assert all(mark in page for mark in e.MARKS)
    assert e.fill(page) == page


@pytest.mark.parametrize("n", e.SEEDS)
@pytest.mark.parametrize("sd", e.SPREADS)
def test_without_a_difference_each_side_errs_in_one_of_forty_runs(sd, n):
    shown, contradicted, _ = rates(NOTHING, sd, n)
    assert shown <= allowed(0.025) and contradicted <= allowed(0.025)


@pytest.mark.parametrize("n", e.SEEDS)
def test_the_claimed_size_is_rarely_denied(n):
    _, contradicted, found = rates(THE_SIZE, 0.3, n)
    assert found.get("smaller than claimed", 0) <= allowed(0.025)
    assert found.get("larger than claimed", 0) <= allowed(0.025)
    assert contradicted <= allowed(0.025)
    assert found.get("no difference", 0) <= allowed(0.05)


@pytest.mark.parametrize("n", e.SEEDS)
def test_a_difference_of_the_margin_is_called_none_in_one_of_twenty_runs(n):
    truth = e.Truth("the margin", e.MARGIN)
    assert rates(truth, 0.3, n)[2].get("no difference", 0) <= allowed(0.05)


@pytest.mark.parametrize("n", e.SEEDS)
def test_a_difference_against_the_claim_is_not_shown_in_its_favour(n):
    assert rates(AGAINST, 0.3, n)[0] <= allowed(0.025)


@pytest.mark.parametrize("n", e.SEEDS)
def test_failing_seeds_and_other_items_give_no_false_verdict_that_the_interval_knows_of(n):
    for truth in (FAILING, ITEMS):
        shown, contradicted, _ = rates(truth, 0.05, n)
        assert shown <= allowed(0.025) and contradicted <= allowed(0.025)


@pytest.mark.parametrize("n", (3, 5))
@pytest.mark.parametrize(
    "true, holds, wrong",
    [
        ([0.0] * 7, 7, "contradicted"),
        ([0.0] * 7, 6, "contradicted"),
        ([1.6] * 6 + [0.0], 7, "reproduced"),
        ([1.6] * 5 + [0.0] * 2, 6, "reproduced"),
        ([1.6] * 6 + [e.MARGIN], 7, "no difference"),
    ],
)
def test_several_comparisons_err_no_more_often_than_one(true, holds, wrong, n):
    found = Counter(e.several(true, holds, 0.5, n))
    level = 0.05 if wrong == "no difference" else 0.025
    assert found[wrong] / e.RUNS <= allowed(level)


def test_a_ledger_that_held_the_items_fixed_would_err_for_others():
    """The rule alone cannot help: what it does not know, it cannot allow for."""
    shown, contradicted, _ = rates(FIXED, 0.05, 5)
    assert shown > 0.05 and contradicted > 0.05
