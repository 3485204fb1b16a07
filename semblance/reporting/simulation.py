"""How often each test errs and how much it shows, at the variance that our own tables have.

Scores are drawn from the normal law with the standard deviations and the correlation of the
measured seeds; the tests are those of the tables.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from semblance.reporting.contrasts import PAIRED, between
from semblance.reporting.layouts import find_layout
from semblance.reporting.significance import (
    ALPHA,
    holm,
    noncentrality,
    p_sign_flips,
    paired,
)
from semblance.reporting.table import Row, Table
from semblance.reporting.verdicts import OPEN, by_exact_test, far_seeds, of_question

RUNS = 4000  # simulated tables
SEED = 0
FAILING = 0.1  # of the seeds
LOSS = 2.0  # points that such a seed loses
TESTS = (
    "paired t",
    "sign flips, exact",
    "Welch t, pairs ignored",
    "bootstrap of items, seeds fixed",
    "bootstrap of seeds and items",
)


@dataclass(frozen=True)
class Measured:
    """The spread behind the differences of one table: root mean squares of its rows, in points.

    ``sd``: of the paired differences; ``sd_ours`` and ``sd_control``: of the seeds of each side;
    ``item_error``: the standard error from the test items, None without predictions.
    """

    table: str
    rows: int
    n: int
    margin: float
    sd: float
    sd_ours: float
    sd_control: float
    item_error: float | None

    @property
    def correlation(self) -> float:
        """Of the two sides over the seeds: what pairing takes away."""
        both = self.sd_ours**2 + self.sd_control**2 - self.sd**2
        return min(1.0, max(-1.0, both / (2 * self.sd_ours * self.sd_control)))


@dataclass(frozen=True)
class Rates:
    """How often a test calls a difference shown: shares of the simulated runs.

    ``error``: without a difference, for other seeds; ``error_items``: for other seeds and other
    test items; ``power``: of a difference as large as the margin, for other seeds. ``better``: the
    part of ``error`` that favours the row.
    """

    test: str
    error: float
    error_items: float | None
    power: float | None
    better: float | None = None


@dataclass(frozen=True)
class Simulated:
    """What was simulated at the variance of one table.

    ``detectable``: the difference shown with 80 % power. ``equal``: how often two equal methods are
    found equal within the margin; ``equal_wrongly``: two that differ by the margin.
    ``false_stars``: tables with a star although no row differs, without and with Holm's correction.
    """

    measured: Measured
    rates: tuple[Rates, ...]
    detectable: float
    equal: float
    equal_wrongly: float
    false_stars: tuple[float, float]


def simulate(tables: Iterable[Table]) -> list[Simulated]:
    """Simulate each table that compares rows by paired seeds."""
    measured = (measure(table) for table in tables)
    return [_simulated(found) for found in measured if found is not None]


def measure(table: Table) -> Measured | None:
    """Return the spread behind a table's differences; None if it has no paired ones with spread."""
    column = find_layout(table.layout).main_column
    tested = [row for row in table.rows if row.test == PAIRED]
    found = (_spreads(row, table.control_of(row), column) for row in tested)
    spreads = list(filter(None, found))
    if not spreads:
        return None
    n, sds, ours, theirs, items = zip(*spreads, strict=True)
    known = [error for error in items if error is not None]
    return Measured(
        table=table.name,
        rows=len(spreads),
        n=max(n),
        margin=table.margin,
        sd=_root_mean_square(sds),
        sd_ours=_root_mean_square(ours),
        sd_control=_root_mean_square(theirs),
        item_error=_root_mean_square(known) if known else None,
    )


def _root_mean_square(values: Sequence[float]) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


def _spreads(row: Row, control: Row, column: str) -> tuple | None:
    """Return n, the sds of differences, row and control, and the item error; None without spread."""
    found = between(row, control, column)
    if found is None or found.estimate is None:
        return None
    sds = [side.cells[column].sd for side in (row, control)]
    if min(sds) == 0:
        return None
    sd = float(np.std(list(found.by_seed.values()), ddof=1))
    return len(found.by_seed), sd, *sds, row.contrast(column).item_error


def _simulated(measured: Measured) -> Simulated:
    rng = np.random.default_rng(SEED)
    ours, control = (side[:, 0] for side in _seeds(measured, 1, rng))
    # A new test set moves all seeds alike.
    of_items = (measured.item_error or 0.0) * rng.normal(size=(RUNS, 1))
    none = _shown(measured, ours, control)
    other_items: Mapping[str, float | None] = _shown(measured, ours + of_items, control)
    as_the_margin = _shown(measured, ours + measured.margin, control)
    if measured.item_error is None:
        other_items = dict.fromkeys(none)
    rates = [Rates(test, none[test], other_items[test], as_the_margin[test]) for test in none]
    gaps = ours - control
    false_stars = _false_stars(measured, rng)
    rates += failing(gaps, measured.margin, rng)
    at_margin = paired(gaps + measured.margin)
    return Simulated(
        measured=measured,
        rates=tuple(rates),
        detectable=noncentrality(measured.n - 1) * measured.sd / math.sqrt(measured.n),
        equal=_share(paired(gaps).p_equivalence(measured.margin), ALPHA / 2),
        equal_wrongly=_share(at_margin.p_equivalence(measured.margin), ALPHA / 2),
        false_stars=false_stars,
    )


def failing(gaps: np.ndarray, margin: float, rng: np.random.Generator) -> Iterator[Rates]:
    """Yield how paired differences (RUNS, n) are judged if a seed fails, on either side alone.

    The two methods are equal over all seeds: what the failing ones lose, the others gain. By the
    t-test, and by the rule of verdicts, which does not trust it where a seed is far from the others.
    """
    for side, sign in (("row", -1), ("control", 1)):
        lost = gaps + sign * LOSS * ((rng.random(gaps.shape) < FAILING) - FAILING)
        low, _ = paired(lost).interval()
        name = f"seeds of the {side} fail"
        better = float(np.mean(low > 0))
        yield Rates(f"{name}: paired t", _share(paired(lost).p()), None, None, better)
        answers = [_answer(*one, margin) for one in zip(lost, p_sign_flips(lost), strict=True)]
        better, worse = (answers.count(answer) / len(answers) for answer in ("yes", "no"))
        yield Rates(f"{name}: verdict", better + worse, None, None, better)


def _answer(seeds: np.ndarray, p_exact: float, margin: float) -> str:
    """Return the answer to "is the row better?"."""
    found = paired(seeds)
    if far_seeds(dict(enumerate(seeds)), margin):
        found = by_exact_test(found, len(seeds), p_exact)
    return OPEN if found is None else of_question(found, margin)


def _seeds(
    measured: Measured, rows: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return the seeds' scores of rows (RUNS, rows, n) and of their control (RUNS, 1, n).

    They have the measured spread and correlation.
    """
    shared = rng.normal(size=(RUNS, 1, measured.n))
    r = measured.correlation
    own = math.sqrt(1 - r**2) * rng.normal(size=(RUNS, rows, measured.n))
    return measured.sd_ours * (r * shared + own), measured.sd_control * shared


def _shown(measured: Measured, ours: np.ndarray, control: np.ndarray) -> dict[str, float]:
    """Return in which share of the runs each test shows a difference."""
    found = paired(ours - control)
    welch = stats.ttest_ind(ours, control, axis=1, equal_var=False)
    shares = [_share(found.p()), _share(p_sign_flips(ours - control)), _share(welch.pvalue)]
    if measured.item_error is not None:
        size = np.abs(found.value)
        both = replace(found, more=measured.item_error)
        alone = 2 * stats.norm.sf(size / measured.item_error)
        shares += [_share(alone), float(np.mean(size > both.reach()))]
    return dict(zip(TESTS, shares, strict=False))


def _false_stars(measured: Measured, rng: np.random.Generator) -> tuple[float, float]:
    """Return how many tables of equal rows have a star, without and with Holm's correction."""
    ours, control = _seeds(measured, measured.rows, rng)
    found = paired(ours - control)
    ps = np.where(found.value > 0, found.p(), 1.0)
    corrected = np.array([holm(list(row)) for row in found.p()])
    corrected = np.where(found.value > 0, corrected, 1.0)
    return _share(ps.min(axis=1)), _share(corrected.min(axis=1))


def _share(ps: np.ndarray, level: float = ALPHA) -> float:
    return float(np.mean(ps < level))
