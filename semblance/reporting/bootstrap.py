"""The bootstrap of a table's rows, from the predictions that stand behind its cells."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from semblance.reporting.contrasts import PAIRED, between
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
from semblance.reporting.resampling import (
    bootstrapped,
    mean_draws,
    p_of_both,
    reach_of_both,
    spearman_draws,
)
from semblance.reporting.table import Row, Table

SCORE_OF = {"map": "ap"}  # the per-query column behind a metric, where the names differ

Drawn = dict[str, dict[str, np.ndarray]]  # column -> row's label -> resampled (draws, seeds)
POINTS = 100
OF_BOOTSTRAP = ("p_bootstrap", "bootstrap_low", "bootstrap_high", "item_error")  # of a contrast
NOTE = (
    "p_bootstrap (in the CSV): hierarchical bootstrap of seeds and test items ({draws} draws). It "
    "asks whether other seeds and other test items would show the difference; p asks for other "
    "seeds alone. The ranks of a correlation are those of all items."
)


def with_bootstrap(table: Table, results: str | Path, draws: int, seed: int) -> Table:
    """Add the hierarchical bootstrap wherever the predictions of a row and of its control exist.

    STS and transfer tasks: on the average column, items resampled within each task. FAQ: on each
    metric, queries resampled within each fold. All rows share the resampled items.
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
        peers = {row.label: row for row in rows if row.protocol == protocol}
        drawn = resampled.draw(setting, _sides(setting, peers))
        for position, row in enumerate(rows):
            if row.protocol == protocol and row.control:
                rows[position] = _with_items(setting, row, peers[row.control], drawn)
    notes = table.notes
    cells = [cell for row in rows for cell in row.cells.values() if cell.contrast]
    if any(cell.contrast.p_bootstrap is not None for cell in cells):
        notes += (NOTE.format(draws=draws),)
    return replace(table, rows=tuple(rows), notes=notes)


@dataclass(frozen=True)
class _Setting:
    """What the tests of all rows of a table have in common."""

    table: Table
    layout: Layout
    results: Path
    draws: int
    seed: int

    def paths(self, row: Row, fold: int | None = None) -> list[Path]:
        """Return the predictions of each seed of a row."""
        return [predictions_path(self.results, self.table, row, seed, fold) for seed in row.seeds]


def _sides(setting: _Setting, peers: dict[str, Row]) -> list[Row]:
    """Return the rows that are compared and whose predictions all exist."""
    controls = {row.control for row in peers.values()}
    return [
        row
        for row in peers.values()
        if (row.control or row.label in controls)
        and row.cells[setting.layout.main_column].values
        and all(path.is_file() for path in all_paths(setting.results, setting.table, row))
    ]


def _with_items(setting: _Setting, row: Row, control: Row, drawn: Drawn) -> Row:
    """Give a row's contrasts the figures of the bootstrap."""
    cells = dict(row.cells)
    for column, sides in drawn.items():
        found = between(row, control, column)
        if found is None or found.estimate is None or not {row.label, control.label} <= set(sides):
            continue
        rng = np.random.default_rng([setting.seed, 1])  # not the numbers that drew the items
        pair = (sides[row.label], sides[control.label])
        errors = bootstrapped(*pair, found.test == PAIRED, rng)
        reach = float(reach_of_both(found.estimate, errors.error))
        contrast = replace(
            row.cells[column].contrast,
            p_bootstrap=p_of_both(found.estimate, errors.error),
            bootstrap_low=found.value - reach,
            bootstrap_high=found.value + reach,
            item_error=errors.item_error,
        )
        cells[column] = replace(row.cells[column], contrast=contrast)
    return replace(row, cells=cells)


def _draw_items(setting: _Setting, rows: list[Row]) -> Drawn:
    """Return the average over tasks of each row's seeds, items resampled within each task."""
    paths = [path for row in rows for path in setting.paths(row)]
    if not paths:
        return {}
    gold, similarities = _similarities(paths)
    tasks = gold.index.get_level_values("task")
    rng = np.random.default_rng(setting.seed)
    total = np.zeros((setting.draws, len(paths)))
    for task in setting.table.tasks:
        chosen = np.flatnonzero(tasks == task)
        require_same_items(paths[0], chosen.size > 1)
        total += spearman_draws(
            gold.to_numpy()[chosen], similarities[:, chosen], setting.draws, rng
        )
    averages = POINTS * total / len(setting.table.tasks)
    return {setting.layout.average_column: _by_row(averages, rows)}


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
    """Return the average accuracy of each row's seeds, items resampled within each task.

    A resampled accuracy is of all items at once. The mean over folds, which the table shows, differs
    by the folds' sizes alone: they differ by one item.
    """
    paths = [path for row in rows for path in setting.paths(row)]
    if not paths:
        return {}
    frames = [label_frame(path) for path in paths]
    for path, frame in zip(paths, frames, strict=True):
        require_same_items(path, frame.index.equals(frames[0].index))
    right = np.vstack([frame["right"].to_numpy() for frame in frames])  # (paths, N)
    tasks = frames[0].index.get_level_values("task")
    rng = np.random.default_rng(setting.seed)
    total = np.zeros((setting.draws, len(paths)))
    for task in setting.table.tasks:
        chosen = np.flatnonzero(tasks == task)
        require_same_items(paths[0], chosen.size > 1)
        total += mean_draws(right[:, chosen], setting.draws, rng)
    averages = POINTS * total / len(setting.table.tasks)
    return {setting.layout.average_column: _by_row(averages, rows)}


def _draw_queries(setting: _Setting, rows: list[Row]) -> Drawn:
    """Return the mean over folds of each row's seeds, queries resampled within each fold."""
    if not rows:
        return {}
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
    return {metric: _by_row(means[:, at], rows) for at, metric in enumerate(metrics)}


def _query_scores(setting: _Setting, rows: list[Row], fold: int) -> np.ndarray:
    """Return (metrics, seeds of all rows, queries): the scores of a fold's queries."""
    names = [SCORE_OF.get(metric, metric) for metric in setting.layout.metrics]
    paths = [(path, row.protocol) for row in rows for path in setting.paths(row, fold)]
    frames = [faq_frame(path, protocol, names) for path, protocol in paths]
    for (path, _), frame in zip(paths, frames, strict=True):
        require_same_items(path, frame.index.equals(frames[0].index))
    return np.stack([frame.to_numpy().T for frame in frames], axis=1)


def _by_row(scores: np.ndarray, rows: list[Row]) -> dict[str, np.ndarray]:
    """Cut (draws, seeds of all rows) into the seeds of each row, by the row's label."""
    ends = np.cumsum([len(row.seeds) for row in rows])
    parts = np.split(scores, ends[:-1], axis=1)
    return {row.label: part for row, part in zip(rows, parts, strict=True)}


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
