"""Rows compared with their controls: differences of the seeds' scores, and what luck would give."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from semblance.names import START
from semblance.reporting import significance
from semblance.reporting.layouts import PREVIOUS, Layout, find_layout
from semblance.reporting.significance import SPREADLESS, Estimate
from semblance.reporting.table import Cell, Contrast, Row, Spec

PAIRED = "paired t"  # the same seeds on both sides
UNPAIRED = "Welch t"
ONE_SAMPLE = "one-sample t"  # against an untrained model, which has one score and no seeds
NO_VALUES = Cell({})
STRONG = 0.05  # a corrected p below it is marked *
WEAK = 0.1  # and one below it _


@dataclass(frozen=True)
class Term:
    """A cell in a weighted sum of cells; ``trained``: its values have seeds, an untrained has one."""

    weight: float
    values: Mapping[str, float]
    trained: bool


@dataclass(frozen=True)
class SeedContrast:
    """A weighted sum of cells, such as ours less the control's.

    ``seeds``: its value of each seed, if all trained cells have the same seeds. ``estimate`` and
    ``p_exact``: None with fewer than two seeds, or if the seeds do not differ. ``p_exact`` is of
    sign flips, or of labels where two cells are not paired.
    """

    value: float
    test: str
    seeds: tuple[float, ...] = ()
    estimate: Estimate | None = None
    p_exact: float | None = None


def sum_of(terms: list[Term]) -> SeedContrast | None:
    """Return the weighted sum of cells; None if one of them has no value."""
    if not all(term.values for term in terms):
        return None
    trained = [term for term in terms if term.trained]
    constant = sum(term.weight * _mean(term) for term in terms if not term.trained)
    names = {frozenset(term.values) for term in trained}
    if len(names) != 1:
        return _unpaired(trained, constant)
    seeds = tuple(
        constant + sum(term.weight * term.values[seed] for term in trained)
        for seed in trained[0].values
    )
    test = PAIRED if len(trained) > 1 else ONE_SAMPLE
    value = math.fsum(seeds) / len(seeds)
    if not _has_spread(seeds):
        return SeedContrast(value, test, seeds)
    p_exact = float(significance.p_sign_flips(np.array(seeds)))
    return SeedContrast(value, test, seeds, significance.paired(np.array(seeds)), p_exact)


def _unpaired(trained: list[Term], constant: float) -> SeedContrast:
    value = constant + sum(term.weight * _mean(term) for term in trained)
    samples = [list(term.values.values()) for term in trained]
    short = any(len(sample) < 2 for sample in samples)
    if short or not any(map(_has_spread, samples)):
        return SeedContrast(value, UNPAIRED)
    estimate = significance.unpaired([term.weight for term in trained], samples)
    p_exact = None
    if [term.weight for term in trained] == [1, -1] and constant == 0:
        p_exact = float(significance.p_relabelled(*samples))
    return SeedContrast(value, UNPAIRED, (), replace(estimate, value=value), p_exact)


def _mean(term: Term) -> float:
    return math.fsum(term.values.values()) / len(term.values)


def _has_spread(values: Sequence[float]) -> bool:
    return len(values) > 1 and float(np.std(values, ddof=1)) > SPREADLESS


def compared(rows: list[Row], spec: Spec) -> list[Row]:
    """Give each cell its contrast with the control's, and a mark to the cells that are better.

    The p values of a column are corrected for their number by Holm's method.
    """
    layout = find_layout(spec.layout)
    controls = [_control(position, rows, spec.control) for position in range(len(rows))]
    tested = [
        _tested(row, control, layout, spec.margin)
        for row, control in zip(rows, controls, strict=True)
    ]
    for column in layout.in_order(column for row in tested for column in row.cells):
        tested = _corrected(tested, column)
    return tested


def _control(position: int, rows: list[Row], control: str | None) -> Row | None:
    """Return the row that a row is compared with: of the same protocol, by label or method.

    An untrained model is neither compared nor a control: every training would differ from it.
    """
    row = rows[position]
    if row.method == START:
        return None
    if control == PREVIOUS:
        return next(reversed(_trained_peers(row, rows[:position])), None)
    peers = _trained_peers(row, rows)
    named = [other for other in peers if other.label == control]
    if not named:
        named = [o for o in peers if o.method == control and o.base == row.base]
    if not named or row in named:
        return None
    same_corpus = [other for other in named if other.corpus == row.corpus]
    return (same_corpus or named)[0]


def _trained_peers(row: Row, rows: list[Row]) -> list[Row]:
    """Return the rows of trained models under a row's protocol."""
    return [other for other in rows if other.protocol == row.protocol and other.method != START]


def _tested(row: Row, control: Row | None, layout: Layout, margin: float) -> Row:
    if control is None:
        return row
    cells = dict(row.cells)
    test = ""
    for column, cell in row.cells.items():
        found = between(row, control, column)
        if layout.has_test(column) and found is not None:
            test = found.test
            cells[column] = replace(cell, contrast=_contrast(found, margin))
    return replace(row, cells=cells, control=control.label, test=test)


def between(row: Row, control: Row, column: str) -> SeedContrast | None:
    """Return a row's contrast with another in one column; None if one of them has no value."""
    sides = ((1, row), (-1, control))
    return sum_of([term(weight, side, column) for weight, side in sides])


def term(weight: float, row: Row, column: str) -> Term:
    """Return a row's cell as a term; a column that the row does not have has no values."""
    cell = row.cells.get(column, NO_VALUES)
    return Term(weight, cell.values, row.method != START)


def _contrast(found: SeedContrast, margin: float) -> Contrast:
    estimate = found.estimate
    if estimate is None:
        return Contrast(found.value)
    low, high = estimate.interval()
    return Contrast(
        difference=found.value,
        low=float(low),
        high=float(high),
        p=float(estimate.p()),
        p_exact=found.p_exact,
        p_equivalence=float(estimate.p_equivalence(margin)),
        detectable=float(estimate.detectable()),
    )


def _corrected(rows: list[Row], column: str) -> list[Row]:
    """Correct the p values of a column, and mark its cells."""
    positions = [position for position, row in enumerate(rows) if _p(row, column) is not None]
    corrected = significance.holm([_p(rows[position], column) for position in positions])
    rows = list(rows)
    for position, p in zip(positions, corrected, strict=True):
        row = rows[position]
        cell = row.cells[column]
        contrast = replace(cell.contrast, p_holm=p)
        cells = row.cells | {column: replace(cell, contrast=contrast, mark=_mark(contrast))}
        rows[position] = replace(row, cells=cells)
    return rows


def _p(row: Row, column: str) -> float | None:
    cell = row.cells.get(column, NO_VALUES)
    return cell.contrast and cell.contrast.p


def _mark(contrast: Contrast) -> str:
    if contrast.difference <= 0 or contrast.p_holm >= WEAK:
        return ""
    if contrast.p_holm < STRONG:
        return "*"
    return "_"
