"""What the test items cause in the rows of a table, from the predictions that stand behind its cells."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from semblance.reporting.contrasts import with_items
from semblance.reporting.layouts import Layout, find_layout
from semblance.reporting.predictions import (
    all_paths,
    faq_frame,
    folds,
    label_frame,
    predictions_path,
    require_same_items,
    sts_frame,
)
from semblance.reporting.resampling import item_covariances, mean_draws, spearman_draws
from semblance.reporting.table import Row, Table

SCORE_OF = {"map": "ap"}  # the per-query column behind a metric, where the names differ
DIGITS = 6  # of a covariance: a thousand draws know three

Drawn = dict[str, np.ndarray]  # column -> resampled (draws, seeds of all rows)
POINTS = 100
NOTE = (
    "p_bootstrap (in the CSV): seeds and test items together ({draws} draws of the items). It "
    "asks whether other seeds and other test items would show the difference; p asks for other "
    "seeds alone. The ranks of a correlation are those of all items."
)


def with_bootstrap(table: Table, results: str | Path, draws: int, seed: int) -> Table:
    """Add what the test items cause, wherever the predictions of a row exist.

    STS and transfer tasks: on each task and their average, items resampled within each task. FAQ: on
    each metric, queries resampled within each fold. All rows share the resampled items.
    """
    layout = find_layout(table.layout)
    if layout.resampling is None:
        return table
    resampled = RESAMPLED[layout.resampling]
    if (table.metric, table.aggregation) != resampled.scores:
        return table
    setting = _Setting(table, layout, Path(results), draws, seed)
    rows = list(table.rows)
    for protocol in dict.fromkeys(row.protocol for row in rows):
        peers = [i for i, row in enumerate(rows) if row.protocol == protocol]
        known = [i for i in peers if _has_predictions(setting, rows[i])]
        chosen = [rows[i] for i in known]
        if not chosen:
            continue
        covariances = _covariances(chosen, resampled.draw(setting, chosen))
        for position, items in zip(known, covariances, strict=True):
            rows[position] = replace(rows[position], items=items)
    return noted(with_items(replace(table, rows=tuple(rows))), draws)


def noted(table: Table, draws: int) -> Table:
    """Add the note on the bootstrap to a table that has figures of it."""
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

    def paths(self, row: Row, fold: int | None = None) -> list[Path]:
        """Return the predictions of each seed of a row."""
        return [predictions_path(self.results, self.table, row, seed, fold) for seed in row.seeds]


def _has_predictions(setting: _Setting, row: Row) -> bool:
    """Tell whether a row has all its scores, and the predictions behind them."""
    paths = all_paths(setting.results, setting.table, row)
    return bool(row.cells[setting.layout.main_column].values) and all(p.is_file() for p in paths)


def _covariances(rows: list[Row], drawn: Drawn) -> list[dict[str, dict[str, float]]]:
    """Return ``Row.items`` of each row: by column and label, the rows above it and itself."""
    found: list[dict[str, dict[str, float]]] = [{} for _ in rows]
    seeds = [tuple(row.seeds) for row in rows]
    ends = np.cumsum([len(row.seeds) for row in rows])[:-1]
    for column, scores in drawn.items():
        matrix = item_covariances(np.split(scores, ends, axis=1), seeds)
        for i, items in enumerate(found):
            values = [float(f"{value:.{DIGITS}g}") for value in matrix[i, : i + 1]]
            items[column] = {row.label: value for row, value in zip(rows, values, strict=False)}
    return found


def _draw_items(setting: _Setting, rows: list[Row]) -> Drawn:
    """Return the correlations of each row's seeds and their average, items resampled by task."""
    paths = [path for row in rows for path in setting.paths(row)]
    gold, similarities = _similarities(paths)

    def draw(chosen: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return the correlations on some of the items, resampled."""
        return spearman_draws(gold.to_numpy()[chosen], similarities[:, chosen], setting.draws, rng)

    return _by_task(setting, gold.index.get_level_values("task"), paths, draw)


def _by_task(
    setting: _Setting, tasks: pd.Index, paths: list[Path], draw: Callable[..., np.ndarray]
) -> Drawn:
    """Return the draws of each column of the layout: its tasks, and their average."""
    rng = np.random.default_rng(setting.seed)
    found: Drawn = {}
    for task in setting.table.tasks:
        chosen = np.flatnonzero(tasks == task)
        require_same_items(paths[0], chosen.size > 1)
        found[task] = POINTS * draw(chosen, rng)
    average = sum(found.values()) / len(found)
    if not setting.layout.part_columns:
        found = {}
    if setting.layout.average_column:
        found[setting.layout.average_column] = average
    return found


def _similarities(paths: list[Path]) -> tuple[pd.Series, np.ndarray]:
    """Return the gold scores (N,) and the similarities (paths, N), all on the same items."""
    first = sts_frame(paths[0])
    gold = first["gold"]
    similarities = []
    for path in paths:
        frame = sts_frame(path)
        require_same_items(path, frame["gold"].equals(gold) and frame.index.equals(gold.index))
        similarities.append(frame["similarity"].to_numpy())
    return gold, np.vstack(similarities)


def _draw_labels(setting: _Setting, rows: list[Row]) -> Drawn:
    """Return the accuracies of each row's seeds and their average, items resampled by task.

    A resampled accuracy is of all items at once. The mean over folds, which the table shows, differs
    by the folds' sizes alone: they differ by one item.
    """
    paths = [path for row in rows for path in setting.paths(row)]
    frames = [label_frame(path) for path in paths]
    for path, frame in zip(paths, frames, strict=True):
        require_same_items(path, frame.index.equals(frames[0].index))
    right = np.vstack([frame["right"].to_numpy() for frame in frames])  # (paths, N)

    def draw(chosen: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return the accuracies on some of the items, resampled."""
        return mean_draws(right[:, chosen], setting.draws, rng)

    return _by_task(setting, frames[0].index.get_level_values("task"), paths, draw)


def _draw_queries(setting: _Setting, rows: list[Row]) -> Drawn:
    """Return the mean over folds of each row's seeds, queries resampled within each fold."""
    rng = np.random.default_rng(setting.seed)
    metrics = setting.layout.metrics
    numbers = list(folds(setting.table))
    seeds = sum(len(row.seeds) for row in rows)
    total = np.zeros((setting.draws, len(metrics), seeds))
    for fold in numbers:
        scores = _query_scores(setting, rows, fold)  # (metrics, seeds, queries)
        flat = scores.reshape(-1, scores.shape[-1])
        total += mean_draws(flat, setting.draws, rng).reshape(total.shape)
    means = POINTS * total / len(numbers)
    return {metric: means[:, at] for at, metric in enumerate(metrics)}


def _query_scores(setting: _Setting, rows: list[Row], fold: int) -> np.ndarray:
    """Return (metrics, seeds of all rows, queries): the scores of a fold's queries."""
    names = [SCORE_OF.get(metric, metric) for metric in setting.layout.metrics]
    paths = [(path, row.protocol) for row in rows for path in setting.paths(row, fold)]
    frames = [faq_frame(path, protocol, names) for path, protocol in paths]
    for (path, _), frame in zip(paths, frames, strict=True):
        require_same_items(path, frame.index.equals(frames[0].index))
    return np.stack([frame.to_numpy().T for frame in frames], axis=1)


@dataclass(frozen=True)
class _Resampled:
    """One way of resampling: the (metric, aggregation) that it can test, and how it draws."""

    scores: tuple[str, str]
    draw: Callable[[_Setting, list[Row]], Drawn]


RESAMPLED = {
    "items": _Resampled(("spearman", "all"), _draw_items),
    "labels": _Resampled(("accuracy", "test"), _draw_labels),
    "queries": _Resampled(("", "test"), _draw_queries),
}
