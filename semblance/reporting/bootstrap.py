"""The paired bootstrap of a table's rows, from the predictions that stand behind its cells."""

import itertools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from pyarrow import ArrowException

from semblance.errors import InputError, at, is_passing
from semblance.files import require_regular
from semblance.layout import FAQ_SCORES, RECORD, STS_SCORES, fold_corpus, place
from semblance.provenance import checked
from semblance.reporting.layouts import Layout, find_layout
from semblance.reporting.significance import (
    mean_differences,
    smallest_p_bootstrap,
    spearman_differences,
    two_sided,
)
from semblance.reporting.table import Cell, Row, Table

ITEM = ["task", "subset", "index"]  # names an item of an STS test set
MOST_PREDICTIONS = 1 << 26  # bytes of the file of a run; an STS run has 1 MB
SCORE_OF = {"map": "ap"}  # the per-query column behind a metric, where the names differ

PValues = dict[str, float | None]  # column -> p, None where it is undefined


def predictions_path(
    results: Path, table: Table, row: Row, seed: int, fold: int | None = None
) -> Path:
    """Return where the predictions of a run lie below the results folder."""
    template = STS_SCORES
    corpus = row.corpus
    if fold is not None:
        template = FAQ_SCORES
        corpus = fold_corpus(table.dataset, fold)
    run = {"corpus": corpus, "base": row.base, "method": row.trained(corpus), "seed": seed}
    return Path(place(results, template, **run)) / "predictions.parquet"


def prediction_digests(table: Table, results: str | Path) -> dict[str, str]:
    """Check the predictions behind a table against the records beside them; return {path: sha256}.

    Files that do not exist are left out: their cells are missing, or have no bootstrap.
    """
    rows = [_paths(Path(results), table, row) for row in table.rows]
    found = {}
    for path in dict.fromkeys(itertools.chain(*rows)):  # rows of two protocols share predictions
        if path.is_file():
            record = checked(path.parent / RECORD, path.name)
            found[str(path)] = record["outputs"][path.name]
    return found


def _paths(results: Path, table: Table, row: Row) -> list[Path]:
    """Return all predictions behind a row, by seed and fold."""
    folds = _folds(table)
    return [
        predictions_path(results, table, row, seed, fold) for seed in row.seeds for fold in folds
    ]


def _folds(table: Table) -> Iterable[int | None]:
    if find_layout(table.layout).over_folds:
        return range(table.folds or 0)
    return (None,)


def with_bootstrap(table: Table, results: str | Path, draws: int, seed: int) -> Table:
    """Add the paired bootstrap's p wherever the predictions of a row and of its control exist.

    STS: on the average column, items resampled within each task. FAQ: on each metric, queries
    resampled within each fold. Seeds are averaged before, not resampled.
    """
    layout = find_layout(table.layout)
    if layout.resampling is None:
        return table
    resampled = RESAMPLED[layout.resampling]
    if (table.metric, table.aggregation) != resampled.scores:
        return table
    setting = _Setting(table, layout, Path(results), draws, seed)
    peers = {(row.label, row.protocol): row for row in table.rows}
    rows = []
    for row in table.rows:
        control = peers.get((row.control, row.protocol))
        found = resampled.test(setting, row, control) if control else {}
        rows.append(_with_p(row, found))
    notes = table.notes
    if any(cell.p_bootstrap is not None for row in rows for cell in row.cells.values()):
        notes += (_note(draws),)
    return replace(table, rows=tuple(rows), notes=notes)


def _with_p(row: Row, found: PValues) -> Row:
    cells = {
        column: replace(cell, p_bootstrap=found.get(column)) for column, cell in row.cells.items()
    }
    return replace(row, cells=cells)


def _note(draws: int) -> str:
    return (
        f"p_bootstrap: paired bootstrap that resamples the test items ({draws} draws). Seeds are "
        "averaged first, and the ranks of a correlation are those of all items. The smallest "
        f"possible p is {smallest_p_bootstrap(draws):.4f}."
    )


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


def _test_items(setting: _Setting, row: Row, control: Row) -> PValues:
    """Test the average over tasks, items resampled within each task."""
    column = setting.layout.average_column
    paths = [setting.paths(row), setting.paths(control)]
    complete = _both_complete(row.cells[column], control.cells[column])
    if not complete or not _all_exist(paths):
        return {}
    gold, ours, theirs = _paired_similarities(*paths)
    tasks = gold.index.get_level_values("task")
    rng = np.random.default_rng(setting.seed)
    differences = []
    for task in setting.table.tasks:
        chosen = np.flatnonzero(tasks == task)
        _require_same_items(paths[0][0], chosen.size > 1)
        differences.append(
            spearman_differences(
                gold.to_numpy()[chosen], ours[:, chosen], theirs[:, chosen], setting.draws, rng
            )
        )
    return {column: _p_value(differences)}


def _paired_similarities(
    ours: list[Path], theirs: list[Path]
) -> tuple[pd.Series, np.ndarray, np.ndarray]:
    """Return the gold scores (N,), and both sides' similarities (seeds, N), on the same items."""
    frames = {path: _sts_frame(path) for path in (*ours, *theirs)}
    gold = frames[ours[0]]["gold"]
    for path, frame in frames.items():
        _require_same_items(path, frame["gold"].equals(gold) and frame.index.equals(gold.index))
    return gold, _similarities(frames, ours), _similarities(frames, theirs)


def _similarities(frames: dict[Path, pd.DataFrame], paths: list[Path]) -> np.ndarray:
    return np.vstack([frames[path]["similarity"].to_numpy() for path in paths])


def _test_queries(setting: _Setting, row: Row, control: Row) -> PValues:
    """Test each metric, queries resampled within each fold."""
    table = setting.table
    rows = (row, control)
    if not _all_exist([_paths(setting.results, table, side) for side in rows]):
        return {}
    pairs = {}
    for fold in _folds(table):
        ours, theirs = (_query_means(setting, side, fold) for side in rows)
        path = setting.paths(row, fold)[0]
        _require_same_items(path, ours.index.equals(theirs.index))
        pairs[fold] = (ours, theirs)
    found: PValues = {}
    for metric in setting.layout.metrics:
        found[metric] = None
        if _both_complete(row.cells[metric], control.cells[metric]):
            found[metric] = _p_of_metric(setting, metric, pairs.values())
    return found


def _p_of_metric(
    setting: _Setting, metric: str, pairs: Iterable[tuple[pd.DataFrame, pd.DataFrame]]
) -> float | None:
    rng = np.random.default_rng(setting.seed)
    name = SCORE_OF.get(metric, metric)
    differences = [
        mean_differences(ours[name].to_numpy(), theirs[name].to_numpy(), setting.draws, rng)
        for ours, theirs in pairs
    ]
    return _p_value(differences)


@dataclass(frozen=True)
class _Resampled:
    """One way of resampling: the (metric, aggregation) that it can test, and the test."""

    scores: tuple[str, str]
    test: Callable[[_Setting, Row, Row], PValues]


RESAMPLED = {
    "items": _Resampled(("spearman", "all"), _test_items),
    "queries": _Resampled(("", "test"), _test_queries),
}


def _query_means(setting: _Setting, row: Row, fold: int) -> pd.DataFrame:
    """Return the scores of each query of a fold, averaged over the seeds."""
    names = [SCORE_OF.get(metric, metric) for metric in setting.layout.metrics]
    paths = setting.paths(row, fold)
    frames = [_faq_frame(path, row.protocol, names) for path in paths]
    for path, frame in zip(paths, frames, strict=True):
        _require_same_items(path, frame.index.equals(frames[0].index))
    return sum(frames) / len(frames)


def _sts_frame(path: Path) -> pd.DataFrame:
    frame = read_predictions(path, [*ITEM, "gold", "similarity"])
    frame = frame.set_index(ITEM).sort_index()
    _require_numbers(path, frame)
    return frame


def _faq_frame(path: Path, protocol: str, names: list[str]) -> pd.DataFrame:
    frame = read_predictions(path, ["protocol", "query", *names])
    frame = frame[frame["protocol"] == protocol].set_index("query")[names]
    frame = frame.astype(float).sort_index()
    _require_numbers(path, frame)
    return frame


def read_predictions(path: Path, columns: list[str]) -> pd.DataFrame:
    """Read some columns of a run's predictions; raises InputError if they are not there."""
    try:
        require_regular(path, MOST_PREDICTIONS)
        return pd.read_parquet(path)[columns]
    except (ValueError, LookupError, TypeError, OSError, ArrowException) as error:
        if is_passing(error):
            raise
        raise InputError(
            path, f"these predictions cannot be read ({error})", "evaluate this run again"
        ) from None


def _require_numbers(path: Path, frame: pd.DataFrame) -> None:
    if frame.index.has_duplicates or not np.isfinite(frame.to_numpy(float)).all():
        raise InputError(
            at(path),
            "an item occurs twice, or a prediction is not a finite number",
            "evaluate this run again",
        )


def _require_same_items(path: Path, same: bool) -> None:
    if not same:
        raise InputError(
            at(path),
            "its items differ from those of the run that it is compared with",
            "evaluate both on the same data",
        )


def _all_exist(paths: list[list[Path]]) -> bool:
    return all(path.is_file() for path in itertools.chain(*paths))


def _both_complete(ours: Cell, theirs: Cell) -> bool:
    return bool(ours.values and theirs.values)


def _p_value(differences: list[np.ndarray]) -> float | None:
    """Return the p of the mean difference over tasks or folds, None where it is undefined."""
    p = two_sided(np.mean(differences, axis=0))
    return None if math.isnan(p) else p
