"""What the test items cause in the rows of a table, from the predictions behind its cells."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from semblance.errors import InputError
from semblance.names import WITH_SUBSETS
from semblance.reporting import predictions
from semblance.reporting.contrasts import OTHER_SUBSETS, compared
from semblance.reporting.layouts import Layout, find_layout
from semblance.reporting.table import BETWEEN, BY_MEAN, Row, Table
from semblance.statistics import resampling

SCORE_OF = {"map": "ap"}  # the per-query column behind a metric, where the names differ
DIGITS = 12  # of a covariance: of four of them a difference leaves a millionth

Drawn = dict[str, np.ndarray]  # column -> resampled (draws, seeds of all rows)
Covariances = dict[str, dict[str, float]]  # of a row: column -> label of a row -> covariance
Items = dict[tuple[str, str], Covariances]  # by label and protocol of a row
POINTS = 100
NOTE = (
    "p_bootstrap (in the CSV): seeds and test items together ({draws} draws of the items). It "
    "asks whether other seeds and other test items would show the difference; p asks for other "
    "seeds alone. The ranks of a correlation are those of all items."
)


def with_bootstrap(table: Table, results: str | Path, draws: int, seed: int) -> Table:
    """Add what the test items cause, wherever the predictions of a row exist.

    STS and transfer tasks: on each task and their average, items resampled within each subset, or
    task if it has none. FAQ: on each metric, groups of queries resampled within each fold. All rows
    share the resampled items.
    """
    layout = find_layout(table.layout)
    if layout.resampling is None:
        return table
    scores, draw = RESAMPLED[layout.resampling]
    # Other scores have another arithmetic, and an interval of this one would be false.
    if (table.metric, table.aggregation) != scores:
        return table
    setting = _Setting(table, layout, Path(results), draws, seed)
    items: Items = {}
    for protocol in dict.fromkeys(row.protocol for row in table.rows):
        rows = [row for row in table.rows if row.protocol == protocol]
        known = [row for row in rows if setting.has_predictions(row)]
        if known:
            covariances = _covariances(known, draw(setting, known))
            items |= {(row.label, protocol): covariances[row.label] for row in known}
    return with_covariances(table, items, draws)


def with_covariances(table: Table, items: Items, draws: int) -> Table:
    """Give rows what the test items cause in them, and to their contrasts what follows from it."""
    rows = [replace(row, items=items.get((row.label, row.protocol), {})) for row in table.rows]
    table = compared(replace(table, rows=tuple(rows)))
    cells = [cell for row in table.rows for cell in row.cells.values() if cell.contrast]
    if any(cell.contrast.p_bootstrap is not None for cell in cells):
        return replace(table, notes=(*table.notes, NOTE.format(draws=draws)))
    return table


@dataclass(frozen=True)
class _Setting:
    """What the draws of all rows of a table have in common."""

    table: Table
    layout: Layout
    results: Path
    draws: int
    seed: int

    def paths(self, rows: list[Row], fold: int | None = None) -> list[Path]:
        """Return the predictions of each seed of rows."""
        return [
            predictions.predictions_path(self.results, self.table, row, seed, fold)
            for row in rows
            for seed in row.seeds
        ]

    def has_predictions(self, row: Row) -> bool:
        """Tell whether a row has all its scores, and the predictions behind them."""
        if not row.cells[self.layout.main_column].values:
            return False
        return all(path.is_file() for path in predictions.all_paths(self.results, self.table, row))

    def by_task(self, items: pd.Index, draw: Callable[..., np.ndarray]) -> Drawn:
        """Return the draws of each column of the layout: its tasks, and their average.

        ``draw`` is given the places of a task's items, the number of draws, and a generator.
        """
        rng = np.random.default_rng(self.seed)
        tasks = items.get_level_values("task")
        draws: Drawn = {}
        for task in self.table.tasks:
            draws[task] = POINTS * draw(np.flatnonzero(tasks == task), self.draws, rng)
        average = sum(draws.values()) / len(draws)
        if not self.layout.part_columns:
            draws = {}
        if self.layout.average_column:
            draws[self.layout.average_column] = average
        return draws


def _covariances(rows: list[Row], drawn: Drawn) -> dict[str, Covariances]:
    """Return ``Row.items`` of each row by its label: by column, the rows above it and itself."""
    labels = [row.label for row in rows]
    covariances: dict[str, Covariances] = {label: {} for label in labels}
    seeds = [tuple(row.seeds) for row in rows]
    ends = np.cumsum([len(row.seeds) for row in rows])[:-1]
    for column, scores in drawn.items():
        matrix = resampling.item_covariances(np.split(scores, ends, axis=1), seeds)
        for i, label in enumerate(labels):
            # The matrix is symmetric: of each pair of rows the lower one keeps the covariance.
            covariances[label][column] = {
                labels[j]: float(f"{matrix[i, j]:.{DIGITS}g}") for j in range(i + 1)
            }
    return covariances


def _draw_items(setting: _Setting, rows: list[Row]) -> Drawn:
    """Return the correlations of each row's seeds and their average, items resampled by subset.

    Behind them stands the average by the mean of subsets, on the same items, and what all columns
    are on other subsets.
    """
    paths = setting.paths(rows)
    frames = _same_items(paths, list(map(predictions.sts_frame, paths)), "gold")
    gold = frames[0]["gold"].to_numpy()  # (N,)
    similarities = np.vstack([frame["similarity"].to_numpy() for frame in frames])
    index = frames[0].index
    # Genres of STS-B are joined (E1), so that its items are drawn from all of them.
    has_subsets = index.get_level_values("task").isin(WITH_SUBSETS)
    subsets = index.get_level_values("subset").where(has_subsets, "")

    def drawn(by_mean: bool = False, other: bool = False) -> Drawn:
        """Return each column's draws, of other items or also of ``other`` subsets."""

        def of_task(items: np.ndarray, draws: int, rng: np.random.Generator) -> np.ndarray:
            """Return the correlations of one task's resampled items, (draws, seeds of all rows)."""
            names = subsets[items]
            groups = [np.flatnonzero(names == name) for name in names.unique()]
            resampled = resampling.grouped_resamples(groups, draws, rng, other)
            within = groups if by_mean else resampling.WHOLE
            return resampling.spearman_draws(gold[items], similarities[:, items], resampled, within)

        return setting.by_task(index, of_task)

    found = drawn()
    on_others = {column + OTHER_SUBSETS: scores for column, scores in drawn(other=True).items()}
    if average := setting.layout.average_column:
        by_mean = drawn(by_mean=True)[average]
        found |= {BY_MEAN: by_mean, BETWEEN: found[average] - by_mean}
    return found | on_others


def _draw_labels(setting: _Setting, rows: list[Row]) -> Drawn:
    """Return the accuracies of each row's seeds and their average, items resampled by task.

    A resampled accuracy is of all items at once. The mean over folds, which the table shows,
    differs by the folds' sizes alone: they differ by one item.
    """
    paths = setting.paths(rows)
    frames = _same_items(paths, list(map(predictions.label_frame, paths)))
    right = np.vstack([frame["right"].to_numpy() for frame in frames])  # (paths, N)
    return setting.by_task(
        frames[0].index, lambda items, *given: resampling.mean_draws(right[:, items], *given)
    )


def _draw_queries(setting: _Setting, rows: list[Row]) -> Drawn:
    """Return the mean over folds of each row's seeds, groups of queries resampled within each."""
    rng = np.random.default_rng(setting.seed)
    metrics = setting.layout.metrics
    names = [SCORE_OF.get(metric, metric) for metric in metrics]
    numbers = list(predictions.folds(setting.table))
    seeds = sum(len(row.seeds) for row in rows)
    total = np.zeros((setting.draws, len(metrics), seeds))
    for fold in numbers:
        paths = setting.paths(rows, fold)
        frames = [predictions.faq_frame(path, rows[0].protocol, names) for path in paths]
        frames = _same_items(paths, frames)
        scores = np.stack([frame.to_numpy().T for frame in frames], axis=1)
        flat = scores.reshape(-1, scores.shape[-1])  # (metrics x seeds, queries)
        groups = frames[0].index.get_level_values("group")
        # Questions of one thread are no independent witnesses: they are drawn together.
        total += resampling.mean_draws(flat, setting.draws, rng, groups).reshape(total.shape)
    means = POINTS * total / len(numbers)
    return {metric: means[:, at] for at, metric in enumerate(metrics)}


def _same_items(paths: list[Path], frames: list[pd.DataFrame], *columns: str) -> list[pd.DataFrame]:
    """Return predictions of runs; InputError unless the items, and these columns, are the same."""
    first = frames[0]
    for path, frame in zip(paths, frames, strict=True):
        same = all(frame[column].equals(first[column]) for column in columns)
        if not (same and frame.index.equals(first.index)):
            problem = "its items differ from those of the run that it is compared with"
            raise InputError(path, problem, "evaluate both on the same data")
    return frames


# A way of resampling -> the (metric, aggregation) that it can test, and how it draws.
RESAMPLED: dict[str, tuple[tuple[str, str], Callable[[_Setting, list[Row]], Drawn]]] = {
    "items": (("spearman", "all"), _draw_items),
    "labels": (("accuracy", "test"), _draw_labels),
    "queries": (("", "test"), _draw_queries),
}
