"""Rows compared with their controls: differences of the seeds' scores, and what luck would give."""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

import numpy as np

from semblance.names import START
from semblance.reporting.layouts import PREVIOUS, find_layout
from semblance.reporting.table import Cell, Contrast, Row, Table
from semblance.statistics import significance
from semblance.statistics.significance import SPREADLESS, Estimate

PAIRED = "paired t"  # the same seeds on both sides
UNPAIRED = "Welch t"
ONE_SAMPLE = "one-sample t"  # against an untrained model, which has one score and no seeds
ITEMS_ALONE = "items alone"  # between untrained models: no seeds, and an interval of normal law
NO_VALUES = Cell({})
OTHER_SUBSETS = ", other subsets"  # behind a column in ``Row.items``: on other subsets and items
STRONG = 0.05  # a corrected p below it is marked *
WEAK = 0.1  # and one below it _


@dataclass(frozen=True)
class SeedContrast:
    """A weighted sum of rows in one column, such as ours less the control's.

    ``by_seed``: its value of each seed that all trained rows have. ``estimate``: of the seeds, with
    the test items held fixed; ``of_both``: of seeds and items, None where the items are not known.
    ``p_exact``: of sign flips, or of labels where two rows are not paired. ``estimate`` and
    ``p_exact`` are None with fewer than two seeds, or if the seeds do not differ. ``missing``: the
    seeds that not all of the rows have.
    """

    value: float
    test: str
    by_seed: Mapping[str, float] = field(default_factory=dict)
    estimate: Estimate | None = None
    p_exact: float | None = None
    of_both: Estimate | None = None
    missing: tuple[str, ...] = ()

    @property
    def found(self) -> Estimate | None:
        """The estimate of seeds and items, or where the items are not known, of the seeds."""
        return self.of_both or self.estimate


Parts = Sequence[tuple[float, Row]]  # the weight of each row in a sum


def weighted_sum(parts: Parts, column: str) -> SeedContrast | None:
    """Return the weighted sum of rows in a column; None if one of them has no value.

    Rows of one list of seeds are paired, by the seeds that all of them have; others are not.
    """
    cells = [(weight, row, row.cells.get(column, NO_VALUES).known) for weight, row in parts]
    if not all(known for _, _, known in cells):
        return None
    constant = sum(
        weight * fmean(known.values()) for weight, row, known in cells if row.is_untrained
    )
    trained = [(weight, known) for weight, row, known in cells if not row.is_untrained]
    lists = {frozenset(map(str, row.seeds)) for _, row in parts if not row.is_untrained}
    if len(lists) > 1:
        total = _unpaired(trained, constant)
    else:
        total = _of_seeds(trained, constant)
        if total is None:
            return None
        missing = sorted(frozenset().union(*lists) - set(total.by_seed), key=int)
        total = replace(total, missing=tuple(missing))
    variance = item_variance(parts, column)
    if variance is None or (trained and total.estimate is None):
        return total  # of trained rows: other seeds would differ, and nobody knows how much
    seeds = total.estimate or Estimate(total.value, 0.0, math.inf)
    return replace(total, of_both=replace(seeds, more=math.sqrt(variance)))


def item_variance(parts: Parts, column: str) -> float | None:
    """Return the variance that the test items add to a weighted sum; None where it is not known."""
    variance = 0.0
    for (weight, row), (other_weight, other) in itertools.product(parts, repeat=2):
        covariance = row.covariance(other, column)
        if covariance is None:
            return None
        variance += weight * other_weight * covariance
    return max(0.0, variance)


Weighted = Sequence[tuple[float, Mapping[str, float]]]  # the weight and the seeds' values of a row


def _of_seeds(trained: Weighted, constant: float) -> SeedContrast | None:
    """Return the sum of trained rows and a constant, by seed; None without a seed in common."""
    if not trained:
        return SeedContrast(constant, ITEMS_ALONE)
    shared = [seed for seed in trained[0][1] if all(seed in values for _, values in trained)]
    if not shared:
        return None
    by_seed = {s: constant + sum(weight * values[s] for weight, values in trained) for s in shared}
    contrast = SeedContrast(
        value=fmean(by_seed.values()),
        test=PAIRED if len(trained) > 1 else ONE_SAMPLE,
        by_seed=by_seed,
    )
    sums = np.array(list(by_seed.values()))
    if not _has_spread(sums):
        return contrast
    p_exact = float(significance.p_sign_flips(sums))
    return replace(contrast, estimate=significance.paired(sums), p_exact=p_exact)


def _unpaired(trained: Weighted, constant: float) -> SeedContrast:
    value = constant + sum(weight * fmean(values.values()) for weight, values in trained)
    samples = [list(values.values()) for _, values in trained]
    short = any(len(sample) < 2 for sample in samples)
    if short or not any(map(_has_spread, samples)):
        return SeedContrast(value, UNPAIRED)
    weights = [weight for weight, _ in trained]
    estimate = significance.unpaired(weights, samples)
    p_exact = None
    if weights == [1, -1] and constant == 0:
        p_exact = float(significance.p_relabelled(*samples))
    return SeedContrast(value, UNPAIRED, {}, replace(estimate, value=value), p_exact)


def _has_spread(values: Sequence[float]) -> bool:
    return len(values) > 1 and float(np.std(values, ddof=1)) > SPREADLESS


def control_of(row: Row, rows: list[Row], control: str | None) -> Row | None:
    """Return the row that a row is compared with: of the same protocol, by label or method.

    An untrained model is not compared with a trained one: every training would differ from it.
    """
    if row.method == START:
        return None
    peers = [other for other in rows if other.protocol == row.protocol and other.method != START]
    if control == PREVIOUS:
        place = peers.index(row)
        return peers[place - 1] if place else None
    named = [other for other in peers if other.label == control]
    if not named:
        named = [o for o in peers if o.method == control and o.base == row.base]
    if not named or row in named:
        return None
    same_corpus = [other for other in named if other.corpus == row.corpus]
    found = (same_corpus or named)[0]
    return None if row.is_untrained and not found.is_untrained else found


def compared(table: Table) -> Table:
    """Give each cell its contrast with the control's, and a mark to the cells that are better.

    The p values of a column are corrected for their number by Holm's method. Where the rows know
    what the test items cause in them, a contrast has the numbers of seeds and items together, too.
    """
    rows = []
    for row in table.rows:
        control = table.control_of(row)
        cells, test = dict(row.cells), ""
        for column in filter(find_layout(table.layout).has_test, row.cells if control else ()):
            if found := between(row, control, column):
                others = item_variance([(1, row), (-1, control)], column + OTHER_SUBSETS)
                contrast = _contrast(found, others, table.margin)
                cells[column], test = replace(cells[column], contrast=contrast), found.test
        rows.append(replace(row, cells=cells, test=test))
    for column in table.columns:
        rows = _corrected(rows, column)
    return replace(table, rows=tuple(rows))


def between(row: Row, control: Row, column: str) -> SeedContrast | None:
    """Return a row's contrast with another in one column; None if one of them has no value."""
    if not all(side.cells.get(column, NO_VALUES).values for side in (row, control)):
        return None
    return weighted_sum([(1, row), (-1, control)], column)


def _contrast(found: SeedContrast, others: float | None, margin: float) -> Contrast:
    """Return the figures of a contrast; ``others``: the variance that other subsets would add."""
    figures = {}
    if estimate := found.estimate:
        low, high = map(float, estimate.interval())
        figures = {"low": low, "high": high, "p": float(estimate.p()), "p_exact": found.p_exact}
        figures["p_equivalence"] = float(estimate.p_equivalence(margin))
        figures["detectable"] = float(estimate.detectable())
    if both := found.of_both:
        low, high = map(float, both.interval())
        figures |= {"p_bootstrap": float(both.p()), "bootstrap_low": low, "bootstrap_high": high}
        figures["item_error"] = float(both.more)
        if others is not None:
            figures["subsets_reach"] = float(replace(both, more=math.sqrt(others)).reach())
    return Contrast(found.value, **figures)


def _corrected(rows: list[Row], column: str) -> list[Row]:
    """Correct the p values of a column, and mark its cells."""
    cells = {place: row.cells[column] for place, row in enumerate(rows) if row.contrast(column)}
    known = {place: cell for place, cell in cells.items() if cell.contrast.p is not None}
    corrected = significance.holm([cell.contrast.p for cell in known.values()])
    rows = list(rows)
    for (place, cell), p in zip(known.items(), corrected, strict=True):
        mark = ""
        if cell.contrast.difference > 0 and p < WEAK:
            mark = "*" if p < STRONG else "_"
        cell = replace(cell, contrast=replace(cell.contrast, p_holm=p), mark=mark)
        rows[place] = replace(rows[place], cells=rows[place].cells | {column: cell})
    return rows
