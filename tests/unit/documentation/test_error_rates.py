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
SHOWN = (
    "reproduced",
    "smaller than claimed",
    "far smaller than claimed",
    "larger than claimed",
)
DENIED = ("contradicted", "the other way", "a little the other way")


def allowed(share):
    """A share and three standard errors of the simulated experiments."""
    return share + 3 * math.sqrt(share * (1 - share) / e.RUNS)


def rates(truth, sd, n):
    """The shares of the verdicts, and of those that show the claimed difference or its contrary."""
    found = Counter(e.shares(truth, sd, n))
    found["shown"] = sum(found[verdict] for verdict in SHOWN)
    found["denied"] = sum(found[verdict] for verdict in DENIED)
    return found


def test_the_page_states_the_simulated_rates():
    page = (ROOT / "docs/statistics.md").read_text(encoding="utf-8")
    assert all(mark in page for mark in e.MARKS)
    assert e.fill(page) == page


WRONG_SIDES = {"shown": 0.025, "denied": 0.025}
DENIALS = dict.fromkeys(("smaller than claimed", "larger than claimed", "denied"), 0.025)
WITHIN = dict.fromkeys(("no difference", "far smaller than claimed"), 0.025)


@pytest.mark.parametrize("n", e.SEEDS)
@pytest.mark.parametrize(
    "truth, sd, rare",
    [
        *((NOTHING, sd, WRONG_SIDES) for sd in e.SPREADS),
        (THE_SIZE, 0.3, DENIALS | WITHIN),
        (e.Truth("the margin", e.MARGIN), 0.3, WITHIN),
        (AGAINST, 0.3, {"shown": 0.025}),
        (FAILING, 0.05, WRONG_SIDES),
        (ITEMS, 0.05, WRONG_SIDES),
    ],
    ids=lambda value: value.says if isinstance(value, e.Truth) else None,
)
def test_a_false_verdict_is_as_rare_as_its_test_says(truth, sd, rare, n):
    found = rates(truth, sd, n)
    assert all(found[verdict] <= allowed(level) for verdict, level in rare.items()), found


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
    assert found[wrong] / e.RUNS <= allowed(0.025)


def test_a_ledger_that_held_the_items_fixed_would_err_for_others():
    """The rule alone cannot help: what it does not know, it cannot allow for."""
    found = rates(FIXED, 0.05, 5)
    assert found["shown"] > 0.05 and found["denied"] > 0.05
