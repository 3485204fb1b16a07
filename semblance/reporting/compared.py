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
from typing import Literal

import numpy as np
from scipy import stats

from semblance.data.score_files import ScoreSet
from semblance.errors import InputError
from semblance.statistics.resampling import item_covariances, mean_draws, resamples, spearman_draws
from semblance.statistics.significance import Estimate, noncentrality, paired, unpaired
from semblance.statistics.verdicts import Among, of_question

AVERAGE = "average"
DRAWS = 1000
POINTS = 100
FEWEST = 2  # items, or clusters of items, of a task
Cell = tuple[str, str]  # a task and an item
Key = tuple[str, int]  # a column, and the set that is compared with the first
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
    """One set less another, with its interval over seeds and items, in the unit of the scores."""

    value: float
    low: float
    high: float
    verdict: Verdict
    detectable: float  # the difference that would be shown with 80 % power


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

    def differences(self) -> dict[Key, Difference]:
        """Return the first set less the second in each column; of more sets, less each in the main one.

        The intervals of tasks hold together, and so do those of several sets.
        """
        keys = [(self.main, other) for other in range(1, len(self.names))]
        if len(keys) > 1:
            return self._judged(keys)
        tasks = [(name, 1) for name in self.columns if name != AVERAGE]
        return self._judged(tasks) | self._judged([key for key in keys if key not in tasks])

    def _estimate(self, name: str, j: int) -> Estimate:
        """Return the first set less another, with the errors of their seeds and of the items.

        Where neither has a second seed, the items alone are luck.
        """
        column = self.columns[name]
        ours, theirs = column.values[0], column.values[j]
        m = column.covariances
        of_items = float(np.sqrt(max(0.0, m[0, 0] + m[j, j] - 2 * m[0, j])))
        if len(ours) == len(theirs) == 1:
            return Estimate(float(ours[0] - theirs[0]), of_items, column.units - 1)
        if self.seeds[0] == self.seeds[j] or 1 in (len(ours), len(theirs)):
            of_seeds = paired(ours - theirs)  # a single one is a constant
        else:
            of_seeds = unpaired((1, -1), (ours, theirs))
        return replace(of_seeds, more=of_items)

    def _judged(self, keys: Sequence[Key]) -> dict[Key, Difference]:
        """Return the difference of each key; all their intervals hold together with 95 %."""
        among = Among(readings=len(keys))
        judged = {}
        for name, j in keys:
            estimate = self._estimate(name, j)
            verdict = VERDICTS[of_question(estimate, self.margin, among)]
            spread = float(np.hypot(estimate.error, estimate.more))
            detectable = noncentrality(estimate.freedom) * spread
            low, high = among.interval(estimate)
            judged[name, j] = Difference(estimate.value, low, high, verdict, detectable)
        return judged


def compare(sets: Sequence[ScoreSet], margin: float, draws: int = DRAWS, seed: int = 0) -> Compared:
    """Return the comparison of sets that have the same tasks and items.

    ``margin``: what counts as equal, in the unit in which the scores are shown. Raises InputError
    where the sets do not pair.
    """
    cells = sorted({cell[1:] for one in sets for cell in one.scores})
    seeds = [tuple(sorted({seed for seed, *_ in one.scores})) for one in sets]
    matrix = np.array(
        [_scores(one, of, cells) for one, own in zip(sets, seeds, strict=True) for of in own]
    )
    gold, clusters = (_labels(sets, name, cells) for name in ("gold", "cluster"))
    if gold and clusters:
        raise InputError(sets[0].place, "it has both gold and cluster", "leave out one column")
    factor = POINTS if gold or _are_shares(sets) else 1
    rng = np.random.default_rng(seed)
    scored = {}
    for task, group in itertools.groupby(range(len(cells)), key=lambda i: cells[i][0]):
        at = list(group)
        labels = [(gold or clusters or cells)[i] for i in at]
        units = len(at if gold else set(labels))
        if units < FEWEST:
            problem = f"task {task!r:.80} has fewer than {FEWEST} items, or clusters of items"
            raise InputError(sets[0].place, problem, "nothing can be said of other items")
        if gold:
            values = _correlations(matrix[:, at], np.array(labels), draws, rng)
            if not np.isfinite(values[0]).all():
                problem = f"task {task!r:.80}: all scores, or all gold, are equal"
                raise InputError(sets[0].place, problem)
        else:
            values = (
                matrix[:, at].mean(axis=1),
                mean_draws(matrix[:, at], draws, rng, labels if clusters else None),
            )
        scored[task or "all items"] = (factor * values[0], factor * values[1], units)
    if len(scored) > 1:
        exact, drawn, units = zip(*scored.values(), strict=True)
        scored[AVERAGE] = (sum(exact) / len(exact), sum(drawn) / len(drawn), sum(units))
    ends = np.cumsum([len(of_set) for of_set in seeds])[:-1]
    columns = {}
    for name, (exact, drawn, units) in scored.items():
        covariances = item_covariances(np.split(drawn, ends, axis=1), seeds)
        columns[name] = Column(tuple(np.split(exact, ends)), covariances, units)
    return Compared(tuple(one.name for one in sets), tuple(seeds), columns, factor, margin)


def _correlations(
    matrix: np.ndarray, gold: np.ndarray, draws: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return Spearman's correlations (R,) of scores (R, N) with gold (N,), and those on drawn items."""
    with warnings.catch_warnings(action="ignore"):  # of scores that are all equal: NaN says so
        exact = np.array([stats.spearmanr(gold, row).statistic for row in matrix])
        return exact, spearman_draws(gold, matrix, resamples(len(gold), draws, rng))


def _are_shares(sets: Sequence[ScoreSet]) -> bool:
    """Tell whether all scores lie between -1 and 1; InputError if those of some sets do alone."""
    shares = [one.place for one in sets if all(abs(score) <= 1 for score in one.scores.values())]
    if 0 < len(shares) < len(sets):
        problem = "its scores lie between -1 and 1, those of another set do not"
        raise InputError(shares[0], problem, "give all scores as shares, or all as points")
    return bool(shares)


def _scores(one: ScoreSet, seed: str, cells: Sequence[Cell]) -> list[float]:
    """Return the scores of a seed of a set; InputError for a cell that another seed or set has alone."""
    missing = [cell for cell in cells if (seed, *cell) not in one.scores]
    if missing:
        task, item = missing[0]
        problem = f"task {task!r:.80}, item {item!r:.80}: no score of seed {seed!r:.40}"
        raise InputError(one.place, problem, f"{len(missing)} items do not pair")
    return [one.scores[seed, *cell] for cell in cells]


def _labels(sets: Sequence[ScoreSet], name: str, cells: Sequence[Cell]) -> list | None:
    """Return the gold score or the cluster of each cell, None if no set states it.

    Raises InputError where a set states it of some items alone, or other than another set.
    """
    stated = [(one.place, labels) for one in sets if (labels := getattr(one, name))]
    for place, labels in stated:
        if odd := [cell for cell in cells if cell not in labels]:
            problem = f"task {odd[0][0]!r:.80}, item {odd[0][1]!r:.80}: {name} is missing"
            raise InputError(place, problem, "state it for each item, or for none")
        if labels != stated[0][1]:
            raise InputError(place, f"another {name} than {stated[0][0]}")
    return [stated[0][1][cell] for cell in cells] if stated else None
