"""Do sets of scores differ? Paired by item and by seed, over tasks, for two sets and for more.

A task's score is the mean of its items; or, where the files state a gold score of each item,
Spearman's correlation of both. The average is over tasks. The statistics are those of the tables
(docs/statistics.md): items are drawn with replacement within each task, the same for all sets, and
crossed with the seeds.
"""

import itertools
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from scipy import stats

from semblance.errors import InputError
from semblance.score_sets import ScoreSet
from semblance.statistics.resampling import item_covariances, mean_draws, resamples, spearman_draws
from semblance.statistics.significance import (
    ALPHA,
    Estimate,
    holm,
    noncentrality,
    paired,
    smallest_p_signs,
    unpaired,
)
from semblance.statistics.verdicts import of_question

AVERAGE = "average"
DRAWS = 1000
POINTS = 100
FEWEST = 2  # items, or clusters of items, of a task
Verdict = Literal["better", "worse", "no difference", "undecided"]
# Of the answer to "is the first better?".
VERDICTS: dict[str, Verdict] = {
    "yes": "better",
    "no": "worse",
    "equal": "no difference",
    "open": "undecided",
}


@dataclass(frozen=True)
class Column:
    """The scores of K sets in one task, or on average: of each set (S,), and (K, K) of the items.

    ``units``: the items, or their clusters, that were drawn.
    """

    values: tuple[np.ndarray, ...]
    covariances: np.ndarray
    units: int


@dataclass(frozen=True)
class Difference:
    """One set less another, with its interval over seeds and items, in the unit of the scores.

    ``p_holm`` is corrected for the differences that are asked at the same time.
    """

    value: float
    low: float
    high: float
    p: float
    p_holm: float
    verdict: Verdict
    detectable: float  # the difference that would be shown with 80 % power


class Ranked(NamedTuple):
    """A set among others: its mean, and the first and the last rank that it may have."""

    name: str
    mean: float
    first: int
    last: int


@dataclass(frozen=True)
class Compared:
    """Sets of scores by column: the tasks, and their average where there are several."""

    names: tuple[str, ...]
    seeds: tuple[tuple[str, ...], ...]
    columns: dict[str, Column]
    factor: float  # 100 where all scores lie between -1 and 1: they are shown as points
    margin: float

    @property
    def main(self) -> str:
        """The column that decides: the average, or the only task."""
        return list(self.columns)[-1]

    def mean(self, position: int, column: str) -> float:
        """Return the mean of a set over its seeds."""
        return float(self.columns[column].values[position].mean())

    def by_column(self) -> dict[str, Difference]:
        """Return the first set less the second in each column, the tasks corrected for their number."""
        tasks = [name for name in self.columns if name != AVERAGE]
        estimates = {name: self._estimate(name, 0, 1) for name in self.columns}
        ps = {name: self._p(name, estimate) for name, estimate in estimates.items()}
        corrected = ps | dict(zip(tasks, holm([ps[name] for name in tasks]), strict=True))
        return {
            name: self._judged(estimate, ps[name], corrected[name])
            for name, estimate in estimates.items()
        }

    def by_pair(self) -> dict[tuple[int, int], Difference]:
        """Return the difference of each pair of sets (i, j), i < j, in the main column.

        Its p is corrected for the number of pairs.
        """
        pairs = list(itertools.combinations(range(len(self.names)), 2))
        estimates = [self._estimate(self.main, i, j) for i, j in pairs]
        ps = [self._p(self.main, estimate) for estimate in estimates]
        corrected = holm(ps)
        return {
            pair: self._judged(*values)
            for pair, *values in zip(pairs, estimates, ps, corrected, strict=True)
        }

    def ranks(self) -> list[Ranked]:
        """Return the sets by their mean, each with the ranks that its differences leave open."""
        k = len(self.names)
        better, worse = [0] * k, [0] * k  # how many sets are shown to be better, and worse
        for (i, j), pair in self.by_pair().items():
            if pair.p_holm < ALPHA:
                above, below = (i, j) if pair.value > 0 else (j, i)
                worse[above] += 1
                better[below] += 1
        means = [self.mean(i, self.main) for i in range(k)]
        order = sorted(range(k), key=lambda i: -means[i])
        return [Ranked(self.names[i], means[i], 1 + better[i], k - worse[i]) for i in order]

    def _estimate(self, name: str, i: int, j: int) -> Estimate:
        """Return the difference of two sets with the errors of their seeds and of the items.

        Where neither has a second seed, the items alone are luck.
        """
        column = self.columns[name]
        ours, theirs = column.values[i], column.values[j]
        m = column.covariances
        of_items = float(np.sqrt(max(0.0, m[i, i] + m[j, j] - 2 * m[i, j])))
        if len(ours) == len(theirs) == 1:
            return Estimate(float(ours[0] - theirs[0]), of_items, column.units - 1)
        if self.seeds[i] == self.seeds[j] or 1 in (len(ours), len(theirs)):
            of_seeds = paired(ours - theirs)  # a single one is a constant
        else:
            of_seeds = unpaired((1, -1), (ours, theirs))
        return replace(of_seeds, more=of_items)

    def _p(self, name: str, estimate: Estimate) -> float:
        """Return the two-sided p; of scores that differ by one number, the least of the signs."""
        if estimate.error > 0 or estimate.more > 0:
            return float(estimate.p())
        return smallest_p_signs(self.columns[name].units) if estimate.value else 1.0

    def _judged(self, estimate: Estimate, p: float, p_holm: float) -> Difference:
        low, high = map(float, estimate.interval())
        verdict = VERDICTS[of_question(estimate, self.margin)]
        spread = float(np.hypot(estimate.error, estimate.more))
        detectable = noncentrality(estimate.freedom) * spread
        return Difference(estimate.value, low, high, p, p_holm, verdict, detectable)


def compare(sets: Sequence[ScoreSet], margin: float, draws: int = DRAWS, seed: int = 0) -> Compared:
    """Return the comparison of sets that have the same tasks and items.

    ``margin``: what counts as equal, in the unit in which the scores are shown. Raises InputError
    where the sets do not pair.
    """
    seeds = [_seeds(one) for one in sets]
    for one in sets[1:]:
        _require_same(sets[0], one)
    has_gold = any(one.gold for one in sets)  # a correlation is a share, whatever the scores are
    shares = [one.place for one in sets if _is_share(one)]
    if not has_gold and 0 < len(shares) < len(sets):
        problem = "its scores lie between -1 and 1, those of another set do not"
        raise InputError(shares[0], problem, "give all scores as shares, or all as points")
    factor = POINTS if has_gold or shares else 1
    rng = np.random.default_rng(seed)
    scored = {}
    for task in sorted(sets[0].tasks):
        exact, drawn, units = _task_scores(sets, seeds, task, draws, rng)
        scored[task or "all items"] = (factor * exact, factor * drawn, units)
    if len(scored) > 1:
        exact, drawn, units = zip(*scored.values(), strict=True)
        scored[AVERAGE] = (sum(exact) / len(exact), sum(drawn) / len(drawn), sum(units))
    ends = np.cumsum([len(of_set) for of_set in seeds])[:-1]
    columns = {}
    for name, (exact, drawn, units) in scored.items():
        covariances = item_covariances(np.split(drawn, ends, axis=1), seeds)
        columns[name] = Column(tuple(np.split(exact, ends)), covariances, units)
    return Compared(tuple(one.name for one in sets), tuple(seeds), columns, factor, margin)


def _task_scores(
    sets: Sequence[ScoreSet],
    seeds: Sequence[tuple[str, ...]],
    task: str,
    draws: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray, int]:
    """Return the score of a task of each set and seed (R,), those on drawn items, and the units."""
    items = sorted(sets[0].tasks[task][seeds[0][0]])
    rows = [one.tasks[task][seed] for one, own in zip(sets, seeds, strict=True) for seed in own]
    matrix = np.array([[row[item] for item in items] for row in rows])  # (R, N)
    gold = next((one.gold[task] for one in sets if task in one.gold), None)
    clusters = next((one.clusters[task] for one in sets if task in one.clusters), None)
    groups = [clusters[item] for item in items] if clusters else None
    units = len(set(groups or items))
    if units < FEWEST:
        problem = f"task {task!r:.80} has fewer than {FEWEST} items, or clusters of items"
        raise InputError(sets[0].place, problem, "nothing can be said of other items")
    if gold is not None:
        if clusters:
            raise InputError(sets[0].place, "it has both gold and cluster", "leave out one column")
        expected = np.array([gold[item] for item in items])
        with warnings.catch_warnings(action="ignore"):  # of scores that are all equal: said next
            exact = np.array([stats.spearmanr(expected, row).statistic for row in matrix])
        if not np.isfinite(exact).all():
            problem = f"task {task!r:.80}: all scores, or all gold, are equal"
            raise InputError(sets[0].place, problem)
        drawn = spearman_draws(expected, matrix, resamples(len(items), draws, rng))
        return exact, drawn, len(items)
    return matrix.mean(axis=1), mean_draws(matrix, draws, rng, groups), units


def _is_share(one: ScoreSet) -> bool:
    """Tell whether the scores of a set lie between -1 and 1."""
    scores = (task[seed].values() for task in one.tasks.values() for seed in task)
    return all(abs(score) <= 1 for items in scores for score in items)


def _seeds(one: ScoreSet) -> tuple[str, ...]:
    """Return the seeds of a set; InputError unless each of its tasks has them, with all items."""
    first_task, first = next(iter(one.tasks.items()))
    seeds = tuple(sorted(first))
    for task, by_seed in one.tasks.items():
        if set(by_seed) != set(first):
            problem = f"task {task!r:.80} has other seeds than {first_task!r:.80}"
            raise InputError(one.place, problem, "give each task the same seeds")
        items = by_seed[seeds[0]].keys()
        for seed in seeds:
            if odd := sorted(items ^ by_seed[seed].keys()):
                problem = f"task {task!r:.80}, item {odd[0]!r:.80}: a score of one seed alone"
                raise InputError(one.place, problem, "give each seed the same items")
        for name, known in (("gold", one.gold), ("cluster", one.clusters)):
            if known and (odd := sorted(items ^ known.get(task, {}).keys())):
                problem = f"task {task!r:.80}, item {odd[0]!r:.80}: {name} is missing"
                raise InputError(one.place, problem, "state it for each item, or for none")
    return seeds


def _require_same(first: ScoreSet, other: ScoreSet) -> None:
    """Raise InputError unless two sets have the same tasks, items, gold scores and clusters."""
    if odd := sorted(first.tasks.keys() ^ other.tasks.keys()):
        raise InputError(other.place, f"task {odd[0]!r:.80} is in this or in {first.place} alone")
    for task in first.tasks:
        ours, theirs = (next(iter(one.tasks[task].values())) for one in (first, other))
        if odd := sorted(ours.keys() ^ theirs.keys()):
            problem = f"task {task!r:.80}, item {odd[0]!r:.80}: in this or in {first.place} alone"
            raise InputError(other.place, problem, f"{len(odd)} items do not pair")
        for name in ("gold", "clusters"):
            here, there = getattr(first, name).get(task), getattr(other, name).get(task)
            if here and there and here != there:
                problem = f"task {task!r:.80}: another {name} than {first.place}"
                raise InputError(other.place, problem)
