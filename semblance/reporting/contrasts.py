"""Rows compared with their controls: differences of the seeds' scores, and what luck would give."""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

import numpy as np

from semblance.names import START
from semblance.reporting.layouts import PREVIOUS, Layout, find_layout
from semblance.reporting.table import Cell, Contrast, Row, Spec, Table
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


def compared(rows: list[Row], spec: Spec) -> list[Row]:
    """Give each cell its contrast with the control's, and a mark to the cells that are better.

    The p values of a column are corrected for their number by Holm's method.
    """
    layout = find_layout(spec.layout)
    own = {asked.label: asked.control for asked in spec.rows}
    tested = []
    for position, row in enumerate(rows):
        control = _control(position, rows, own[row.label] or spec.control)
        tested.append(row if control is None else _tested(row, control, layout, spec.margin))
    for column in layout.in_order(column for row in tested for column in row.cells):
        tested = _corrected(tested, column)
    return tested


def _control(position: int, rows: list[Row], control: str | None) -> Row | None:
    """Return the row that a row is compared with: of the same protocol, by label or method.

    An untrained model is not compared with a trained one: every training would differ from it.
    """
    row = rows[position]
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


def _tested(row: Row, control: Row, layout: Layout, margin: float) -> Row:
    cells = dict(row.cells)
    test = ""
    for column, cell in row.cells.items():
        found = between(row, control, column)
        if found is None or not layout.has_test(column):
            continue
        test = found.test
        contrast = Contrast(found.value)
        if found.estimate is not None:
            low, high = found.estimate.interval()
            contrast = Contrast(
                found.value,
                low=float(low),
                high=float(high),
                p=float(found.estimate.p()),
                p_exact=found.p_exact,
                p_equivalence=float(found.estimate.p_equivalence(margin)),
                detectable=float(found.estimate.detectable()),
            )
        cells[column] = replace(cell, contrast=contrast)
    return replace(row, cells=cells, control=control.label, test=test)


def between(row: Row, control: Row, column: str) -> SeedContrast | None:
    """Return a row's contrast with another in one column; None if one of them has no value."""
    if not all(side.cells.get(column, NO_VALUES).values for side in (row, control)):
        return None
    return weighted_sum([(1, row), (-1, control)], column)


def _corrected(rows: list[Row], column: str) -> list[Row]:
    """Correct the p values of a column, and mark its cells."""
    contrasts = {position: row.contrast(column) for position, row in enumerate(rows)}
    known = {
        at: contrast for at, contrast in contrasts.items() if contrast and contrast.p is not None
    }
    corrected = significance.holm([contrast.p for contrast in known.values()])
    rows = list(rows)
    for (position, contrast), p in zip(known.items(), corrected, strict=True):
        mark = ""
        if contrast.difference > 0 and p < WEAK:
            mark = "*" if p < STRONG else "_"
        cell = replace(
            rows[position].cells[column], contrast=replace(contrast, p_holm=p), mark=mark
        )
        rows[position] = replace(rows[position], cells=rows[position].cells | {column: cell})
    return rows


def with_items(table: Table) -> Table:
    """Give each contrast the numbers of seeds and items together, where both rows know them."""
    rows = []
    for row in table.rows:
        control = table.control_of(row)
        cells = dict(row.cells)
        for column, cell in row.cells.items() if control else ():
            found = between(row, control, column)
            contrast = cell.contrast
            if found is None or found.of_both is None or contrast is None:
                continue
            low, high = found.of_both.interval()
            others = item_variance([(1, row), (-1, control)], column + OTHER_SUBSETS)
            if others is not None:
                reach = float(replace(found.of_both, more=math.sqrt(others)).reach())
                contrast = replace(contrast, subsets_reach=reach)
            contrast = replace(
                contrast,
                p_bootstrap=float(found.of_both.p()),
                bootstrap_low=float(low),
                bootstrap_high=float(high),
                item_error=float(found.of_both.more),
            )
            cells[column] = replace(cell, contrast=contrast)
        rows.append(replace(row, cells=cells))
    return replace(table, rows=tuple(rows))
