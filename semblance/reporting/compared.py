"""Does a set of scores differ from others? Paired by item and by seed, over tasks.

A task's score is the mean of its items; or, where the files state a gold score of each item,
Spearman's correlation of both. The average is over tasks. The statistics are those of the tables
(docs/statistics.md): items are drawn with replacement within each task, the same for all sets, and
crossed with the seeds. The evidence of statistics/tries.py has no place here: it is of seeds alone.
"""

import itertools
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from scipy import stats

from semblance.errors import InputError
from semblance.reporting.score_files import Cell, ScoreSet
from semblance.statistics.resampling import item_covariances, mean_draws, resamples, spearman_draws
from semblance.statistics.significance import SPREADLESS, Estimate, noncentrality, paired, unpaired
from semblance.statistics.verdicts import Among, of_question

AVERAGE = "average"
DRAWS = 1000
POINTS = 100
CANCELLED = 1e-12  # share of the variances of two sets that rounding may leave of their difference
FEWEST, FEWEST_RANKED = 5, 10  # items, or clusters of items, of a task: for a verdict; with gold
Verdict = Literal["better", "worse", "no difference", "undecided", "no verdict"]
# Of the answer to "is the first better?".
VERDICTS: dict[str, Verdict] = {
    "yes": "better",
    "no": "worse",
    "equal": "no difference",
    "open": "undecided",
}
OF_LOWER: dict[str, Verdict] = VERDICTS | {"yes": "worse", "no": "better"}


@dataclass(frozen=True)
class Difference:
    """Set ``a`` less set ``b`` in a task or on average, with its interval over seeds and items."""

    column: str
    a: str
    b: str
    a_mean: float
    b_mean: float
    value: float
    low: float | None  # of fewer than FEWEST items, or without any spread
    high: float | None
    verdict: Verdict
    detectable: float | None  # the difference that would be shown with 80 % power
    a_seeds: int
    b_seeds: int
    items: int  # or their clusters, that were drawn
    margin: float  # what counts as equal
    points: bool  # whether scores between -1 and 1 are shown 100 times as large


class Column(NamedTuple):
    """The scores of each set in a task, or on average: of its S seeds, on all items and on draws."""

    exact: list[np.ndarray]  # (S,) each
    drawn: list[np.ndarray]  # (draws, S) each
    units: int  # items, or clusters of items
    fewest: int  # the same, of the task that has the fewest


def compare(
    sets: Sequence[ScoreSet], margin: float, draws: int = DRAWS, lower_is_better: bool = False
) -> list[Difference]:
    """Return the first set less the second in each task, and on average as the last.

    Of more sets, return the first less each other one, on average alone. The intervals of tasks hold
    together, and so do those of several sets. ``margin``: what counts as equal, in the unit in which
    the scores are shown. Raises InputError where the sets do not pair.
    """
    columns, factor = _columns(sets, draws)
    *tasks, main = columns
    groups = [[(task, 1) for task in tasks] if len(sets) == 2 else []]
    groups.append([(main, j) for j in range(1, len(sets))])
    rows = []
    for group in groups:
        among = Among(readings=len(group))
        for name, j in group:
            column = columns[name]
            means = [float(column.exact[k].mean()) for k in (0, j)]
            seeds = [len(column.exact[k]) for k in (0, j)]
            estimate = _estimate(column, sets, j)
            spread = float(np.hypot(estimate.error, estimate.more))
            shown = (estimate.value, None, None, "no verdict", None)
            if column.fewest >= FEWEST and spread > SPREADLESS * max(1, *map(abs, means)):
                words = OF_LOWER if lower_is_better else VERDICTS
                verdict = words[of_question(estimate, margin, among)]
                detectable = noncentrality(estimate.freedom) * spread
                shown = (estimate.value, *among.interval(estimate), verdict, detectable)
            names = (name, sets[0].name, sets[j].name)
            rows.append(
                Difference(*names, *means, *shown, *seeds, column.units, margin, factor != 1)
            )
    return rows


def _estimate(column: Column, sets: Sequence[ScoreSet], j: int) -> Estimate:
    """Return the first set less another, with the errors of their seeds and of the items.

    Where neither has a second seed, the items alone are luck.
    """
    ours, theirs = column.exact[0], column.exact[j]
    seeds = [sets[k].seeds for k in (0, j)]
    m = item_covariances([column.drawn[k] for k in (0, j)], seeds)
    variance = m[0, 0] + m[1, 1] - 2 * m[0, 1]
    if variance < CANCELLED * (m[0, 0] + m[1, 1]):
        variance = 0.0  # each item has the same difference; the rest is rounding
    of_items = float(np.sqrt(variance))
    if len(ours) == len(theirs) == 1:
        return Estimate(float(ours[0] - theirs[0]), of_items, column.units - 1)
    if seeds[0] == seeds[1] or 1 in (len(ours), len(theirs)):
        of_seeds = paired(ours - theirs)  # a single one is a constant
    else:
        of_seeds = unpaired((1, -1), (ours, theirs))
    return replace(of_seeds, more=of_items)


def _columns(sets: Sequence[ScoreSet], draws: int) -> tuple[dict[str, Column], float]:
    """Return the scores by task, and their average where there are several; and their unit.

    The unit is 100 where all scores lie between -1 and 1: they are shown as points.
    """
    cells = sorted(set().union(*(one.cells for one in sets)))
    matrix = np.array([_of_seed(sets, one, seed, cells) for one in sets for seed in one.seeds])
    gold, clusters = (_labels(sets, name, cells) for name in ("gold", "cluster"))
    if gold and clusters:
        raise InputError(sets[0].place, "it has both gold and cluster", "leave out one column")
    factor = POINTS if gold or _are_shares(sets) else 1
    ends = np.cumsum([len(one.seeds) for one in sets])[:-1]
    columns = {}
    samples: dict[tuple[str, ...], int] = {}  # the units of each list of items
    if any(cell[0] == AVERAGE for cell in cells):
        problem = f"a task is called {AVERAGE!r}, as the mean of the tasks is"
        raise InputError(sets[0].place, problem, "leave it out, or rename it")
    for task, group in itertools.groupby(range(len(cells)), key=lambda i: cells[i][0]):
        at = list(group)
        labels = [(gold or clusters or cells)[i] for i in at]
        units = len(at if gold else set(labels))
        if gold and units < FEWEST_RANKED:
            problem = f"task {task!r:.80} has fewer than {FEWEST_RANKED} items with gold"
            raise InputError(sets[0].place, problem, "nothing can be said of other items")
        scores = matrix[:, at]
        # Tasks of the same items, such as two measures of the same questions, draw the same.
        items = tuple(item for _, item in cells[at[0] : at[-1] + 1])
        samples.setdefault(items, units)
        rng = np.random.default_rng(list(samples).index(items))
        if gold:
            of_items = np.array(labels)
            # Of scores that are all equal, NaN says so.
            with warnings.catch_warnings(action="ignore"):
                exact = np.array([stats.spearmanr(of_items, row).statistic for row in scores])
                drawn = spearman_draws(of_items, scores, resamples(len(of_items), draws, rng))
        else:
            exact = scores.mean(axis=1)
            drawn = mean_draws(scores, draws, rng, labels if clusters else None)
        if not np.isfinite(exact).all():
            problem = f"task {task!r:.80}: all scores, or all gold, are equal"
            raise InputError(sets[0].place, problem)
        by_set = (np.split(factor * values, ends, axis=-1) for values in (exact, drawn))
        columns[task or "all items"] = Column(*by_set, units, units)
    if len(columns) > 1:
        exact, drawn, _, units = zip(*columns.values(), strict=True)
        means = ([sum(of) / len(of) for of in zip(*parts, strict=True)] for parts in (exact, drawn))
        columns[AVERAGE] = Column(*means, sum(samples.values()), min(units))
    return columns, factor


def _of_seed(
    sets: Sequence[ScoreSet], one: ScoreSet, seed: str, cells: Sequence[Cell]
) -> list[float]:
    """Return the scores of a seed; InputError, with both sets, for a cell that another has alone."""
    missing = [cell for cell in cells if (seed, *cell) not in one.scores]
    if missing:
        other = next(each for each in sets if missing[0] in each.cells)
        of_seed = f" of seed {seed!r:.40}" if len(one.seeds) > 1 else ""
        problem = f"{_cell_name(missing[0])}: no score{of_seed}"
        advice = f"{other.place} has one; {len(missing)} of {len(cells)} items do not pair"
        if alone := one.cells - other.cells:
            advice += f", and item {min(alone)[1]!r:.80} is here alone"
        raise InputError(one.place, problem, f"{advice}: give each the same (tools have --limit)")
    return [one.scores[seed, *cell] for cell in cells]


def _cell_name(cell: Cell) -> str:
    """Name a cell as its file does, which need not have a column ``task``."""
    task, item = cell
    return f"task {task!r:.80}, item {item!r:.80}" if task else f"item {item!r:.80}"


def _are_shares(sets: Sequence[ScoreSet]) -> bool:
    """Tell whether all scores lie between -1 and 1; InputError if those of some sets do alone."""
    shares = [one.place for one in sets if all(abs(score) <= 1 for score in one.scores.values())]
    if 0 < len(shares) < len(sets):
        problem = "its scores lie between -1 and 1, those of another set do not"
        raise InputError(shares[0], problem, "give all scores as shares, or all as points")
    return bool(shares)


def _labels(sets: Sequence[ScoreSet], name: str, cells: Sequence[Cell]) -> list | None:
    """Return the gold score or the cluster of each cell, None if no set states it.

    Raises InputError where a set states it of some items alone, or other than another set.
    """
    stated = [(one.place, labels) for one in sets if (labels := getattr(one, name))]
    for place, labels in stated:
        if odd := [cell for cell in cells if cell not in labels]:
            problem = f"{_cell_name(odd[0])}: {name} is missing"
            raise InputError(place, problem, "state it for each item, or for none")
        if labels != stated[0][1]:
            raise InputError(place, f"another {name} than {stated[0][0]}")
    return [stated[0][1][cell] for cell in cells] if stated else None
