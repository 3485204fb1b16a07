"""What a measured difference says about a claimed one. docs/statistics.md defines each verdict.

A difference counts in the direction of the claim: above 0 is what the paper says.
"""

from typing import Literal

from semblance.reporting.significance import (
    ALPHA,
    Estimate,
    seeds_to_equal,
    seeds_to_show,
)

Verdict = Literal[
    "reproduced",
    "smaller than claimed",
    "none within the margin",
    "contradicted",
    "undecided",
    "not run",
]
UNDECIDED: Verdict = "undecided"
NOT_RUN: Verdict = "not run"


def of_difference(found: Estimate, size: float | None, margin: float) -> Verdict:
    """Return the verdict on the claim of a difference of ``size`` (None: of any size above 0).

    ``reproduced``: the interval lies above 0 and does not end below the size. ``smaller than
    claimed``: above 0, and ends below the size. ``contradicted``: below 0. ``none within the
    margin``: it holds 0, and two one-sided tests show a difference within ±margin. Else
    ``undecided``.
    """
    low, high = found.interval()
    if low > 0:
        if size is None or high >= size:
            return "reproduced"
        return "smaller than claimed"
    if high < 0:
        return "contradicted"
    if found.p_equivalence(margin) < ALPHA:
        return "none within the margin"
    return "undecided"


def of_no_difference(found: Estimate, margin: float) -> Verdict:
    """Return the verdict on the claim that two methods are equal.

    ``reproduced``: two one-sided tests show a difference within ±margin. ``contradicted``: the
    interval lies beyond the margin on one side. Else ``undecided``.
    """
    low, high = found.interval()
    if found.p_equivalence(margin) < ALPHA:
        return "reproduced"
    if low > margin or high < -margin:
        return "contradicted"
    return "undecided"


def margin_of(size: float | None, margin: float) -> float:
    """Return the margin of a claim: at most half of the claimed size, so that it excludes it."""
    if size is None:
        return margin
    return min(margin, size / 2)


def seeds_to_decide(sd: float, n: int, size: float | None, margin: float) -> int | None:
    """Return how many seeds would decide a claim that ``n`` seeds leave undecided.

    So many that a difference of the claimed size (None: of the margin) is shown, and that none is
    shown to be within the margin, each in 80 % of the runs; at least one more than there are.
    ``sd``: of the differences of the seeds. None: more than 10,000.
    """
    to_show = seeds_to_show(margin if size is None else size, sd)
    to_equal = seeds_to_equal(margin, sd)
    if to_show is None or to_equal is None:
        return None
    return max(to_show, to_equal, n + 1)
