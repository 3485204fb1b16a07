"""The differences of a table's rows from their controls, tested again from the runs' scores.

The arithmetic is this module's own: plain loops, and scipy's ready-made tests, where
semblance.reporting has formulas. The bootstrap is only held against the t-test here; `verify
--bootstrap` draws it again.
"""

import itertools
import math
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from semblance.reporting.table import Contrast

TOLERANCE = 1e-9  # of differences, in points, and of p values
OF_POWER = 1e-6
NO_SPREAD = 1e-9  # points
MOST_LOOPS = 5000  # signs or labels that a loop tries; the exact p of more is left unchecked
BySeed = dict[str, float | None]
FIELDS = {  # of a contrast, and what the names of their CSV columns end with
    "difference": "_control_difference",
    "low": "_control_low",
    "high": "_control_high",
    "p": "_p",
    "p_holm": "_p_holm",
    "p_exact": "_p_exact",
    "p_equivalence": "_p_equivalence",
    "detectable": "_detectable",
    "p_bootstrap": "_p_bootstrap",
    "bootstrap_low": "_bootstrap_low",
    "bootstrap_high": "_bootstrap_high",
    "item_error": "_item_error",
}


OF_ITEMS = ("p_bootstrap", "bootstrap_low", "bootstrap_high", "item_error")


@dataclass(frozen=True)
class Sides:
    """The recomputed values of a cell and of its control's, in the order of the seeds."""

    ours: tuple[float, ...]
    theirs: tuple[float, ...]
    paired: bool

    @property
    def gaps(self) -> list[float]:
        """The differences of pairs."""
        pairs = zip(self.ours, self.theirs, strict=True)
        return [ours - theirs for ours, theirs in pairs]

    @property
    def testable(self) -> bool:
        """Whether there are two seeds on each side, and whether they differ."""
        if min(len(self.ours), len(self.theirs)) < 2:
            return False
        spreads = [self.gaps] if self.paired else [self.ours, self.theirs]
        return any(np.std(spread, ddof=1) > NO_SPREAD for spread in spreads)


def sides(ours: BySeed, theirs: BySeed) -> Sides | None:
    """Pair two columns by seed if they have the same seeds; None if a value is missing."""
    values = [*ours.values(), *theirs.values()]
    if None in values or not ours or not theirs:
        return None
    seeds = sorted(ours)
    if seeds == sorted(theirs):
        a = tuple(ours[seed] for seed in seeds)
        b = tuple(theirs[seed] for seed in seeds)
        return Sides(a, b, True)
    return Sides(tuple(ours.values()), tuple(theirs.values()), False)


@dataclass(frozen=True)
class Expected:
    """What a cell's contrast must show; ``error`` and ``freedom`` are of the t-test, if there is one."""

    figures: dict[str, float]
    error: float = math.nan
    freedom: float = math.nan


def expected(found: Sides, margin: float) -> Expected:
    """Return what a contrast must show, but for Holm's correction and the bootstrap."""
    difference = sum(found.ours) / len(found.ours) - sum(found.theirs) / len(found.theirs)
    if not found.testable:
        return Expected({"difference": difference})
    test = _test(found, 0.0, "two-sided")
    low, high = test.confidence_interval(0.95)
    above = _test(found, -margin, "greater").pvalue
    below = _test(found, margin, "less").pvalue
    figures = {"difference": difference, "low": low, "high": high, "p": test.pvalue}
    figures["p_equivalence"] = max(above, below)
    exact = _exact(found)
    if exact is not None:
        figures["p_exact"] = exact
    reach = stats.t.ppf(0.975, test.df)
    return Expected(figures, (high - low) / 2 / reach, test.df)


def _test(found: Sides, null: float, alternative: str):
    """Return scipy's test of "the difference is ``null``"."""
    if found.paired:
        return stats.ttest_1samp(found.gaps, null, alternative=alternative)
    moved = np.array(found.ours) - null
    return stats.ttest_ind(moved, found.theirs, equal_var=False, alternative=alternative)


def _exact(found: Sides) -> float | None:
    """Count the signs or labels that give as large a difference; None if there are too many."""
    if found.paired:
        return _exact_of_signs(found.gaps)
    both = [*found.ours, *found.theirs]
    n = len(found.ours)
    if math.comb(len(both), n) > MOST_LOOPS:
        return None
    gaps = []
    for chosen in itertools.combinations(range(len(both)), n):
        ours = [both[i] for i in chosen]
        theirs = [value for i, value in enumerate(both) if i not in chosen]
        gaps.append(abs(np.mean(ours) - np.mean(theirs)))
    observed = abs(np.mean(found.ours) - np.mean(found.theirs))
    return float(np.mean([gap >= observed - TOLERANCE for gap in gaps]))


def _exact_of_signs(gaps: list[float]) -> float | None:
    if 2 ** len(gaps) > MOST_LOOPS:
        return None
    hits = 0
    for signs in itertools.product((1, -1), repeat=len(gaps)):
        total = sum(sign * gap for sign, gap in zip(signs, gaps, strict=True))
        hits += abs(total) >= abs(sum(gaps)) - TOLERANCE
    return hits / 2 ** len(gaps)


def holm(p: float, others: list[float]) -> float:
    """Return a p corrected for a column's ``others``, which hold it too, from Holm's definition.

    It is the largest of (how many are at least as large) x p_j, over all p_j up to p.
    """
    steps = []
    for other in others:
        if other <= p:
            smaller = sum(third < other for third in others)
            steps.append((len(others) - smaller) * other)
    return min(1.0, max(steps))


def corrected(column: list[Expected | None]) -> list[Expected | None]:
    """Add Holm's p to the cells of a column that have a p."""
    ps = [cell.figures["p"] for cell in column if cell and "p" in cell.figures]
    found: list[Expected | None] = []
    for cell in column:
        if cell and "p" in cell.figures:
            figures = cell.figures | {"p_holm": holm(cell.figures["p"], ps)}
            cell = replace(cell, figures=figures)
        found.append(cell)
    return found


def holds(shown: Contrast | None, mark: str, cell: Expected | None) -> bool:
    """Tell whether a contrast shows what it must, and its cell the mark that follows from it."""
    if cell is None or shown is None:
        return cell is None and shown is None and not mark
    for name, value in cell.figures.items():
        figure = getattr(shown, name)
        if figure is None or not abs(figure - value) <= TOLERANCE:
            return False
    if "p" not in cell.figures:
        seedless = replace(shown, **dict.fromkeys(OF_ITEMS))
        return seedless == Contrast(shown.difference) and not mark
    return (
        mark == _mark(cell.figures)
        and _shows_with_eighty_percent(shown, cell)
        and _is_no_surer_than_the_seeds(shown)
    )


def _mark(figures: dict[str, float]) -> str:
    if figures["difference"] > 0 and figures["p_holm"] < 0.05:
        return "*"
    if figures["difference"] > 0 and figures["p_holm"] < 0.1:
        return "_"
    return ""


def _shows_with_eighty_percent(shown: Contrast, cell: Expected) -> bool:
    """Put the detectable difference into the noncentral t law."""
    limit = stats.t.ppf(0.975, cell.freedom)
    power = stats.nct.sf(limit, cell.freedom, shown.detectable / cell.error)
    return abs(power - 0.8) <= OF_POWER


def _is_no_surer_than_the_seeds(shown: Contrast) -> bool:
    """Hold the bootstrap of seeds and items, if there is one, against the test of the seeds."""
    if shown.p_bootstrap is None:
        return shown.bootstrap_low is None and shown.bootstrap_high is None
    if shown.low is None:  # untrained models: no seeds
        return True
    wider = shown.bootstrap_low <= shown.low + TOLERANCE
    higher = shown.bootstrap_high >= shown.high - TOLERANCE
    surer = shown.p_bootstrap < shown.p - TOLERANCE
    return wider and higher and not surer and shown.p_bootstrap <= 1 and shown.item_error >= 0


def csv_holds(line: dict[str, str], column: str, shown: Contrast | None) -> bool:
    """Tell whether the fields of a CSV line show the figures of a contrast."""
    for name, end in FIELDS.items():
        value = getattr(shown, name, None)
        text = "" if value is None else str(value)
        if line.get(column + end) != text:
            return False
    return True
