"""The paired bootstrap of a table's rows, from the predictions that stand behind its cells."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from pyarrow import ArrowException

from semblance.errors import InputError, at, is_passing
from semblance.layout import FAQ_METRICS
from semblance.provenance import checked
from semblance.reporting.significance import (
    mean_differences,
    smallest_p_bootstrap,
    spearman_differences,
    two_sided,
)
from semblance.reporting.table import AVERAGE, Row, Table

AVERAGED = {"sts": AVERAGE, "regulators": AVERAGE, "seeds": "mean"}
SCORE_OF = {"map": "ap"}  # the per-query column behind a metric, where the names differ


def predictions_path(
    root: Path, table: Table, row: Row, seed: int, fold: int | None = None
) -> Path:
    """Return where a run's predictions lie: ``sts/{corpus}/…`` or ``faq/{bank}-{fold}/…``."""
    place = root / "sts" / row.corpus if fold is None else root / "faq" / f"{table.dataset}-{fold}"
    return place / row.base / row.method / f"seed-{seed}" / "predictions.parquet"


def vouched(table: Table, root: str | Path) -> dict[str, str]:
    """Check the predictions behind a table against the records beside them; return {path: sha256}.

    What is absent is left out: its cells are missing, or have no bootstrap.
    """
    folds = range(table.folds or 0) if table.layout == "faq" else (None,)
    paths = dict.fromkeys(
        predictions_path(Path(root), table, row, seed, fold)
        for row in table.rows
        for seed in row.seeds
        for fold in folds
    )
    return {
        str(path): checked(path.parent / "record.json", path.name)["outputs"][path.name]
        for path in paths
        if path.is_file()
    }


def with_bootstrap(table: Table, root: str | Path, draws: int, seed: int) -> Table:
    """Add the paired bootstrap's p wherever the predictions of a row and of its reference exist.

    STS: on the average column, items resampled within each task. FAQ: on each metric, queries
    resampled within each fold. Seeds are averaged before, not resampled.
    """
    paired = {"faq": _faq, "dev": None}.get(table.layout, _sts)
    if paired is None or (table.metric, table.aggregation) not in (
        ("spearman", "all"),
        ("", "test"),
    ):
        return table
    peers = {(row.label, row.protocol): row for row in table.rows}
    rows = []
    for row in table.rows:
        other = peers.get((row.reference, row.protocol)) if row.reference else None
        found = paired(table, Path(root), row, other, draws, seed) if other else {}
        cells = {
            name: replace(cell, p_bootstrap=found.get(name)) for name, cell in row.cells.items()
        }
        rows.append(replace(row, cells=cells))
    done = any(cell.p_bootstrap is not None for row in rows for cell in row.cells.values())
    return replace(table, rows=tuple(rows), notes=table.notes + ((_note(draws),) if done else ()))


def _note(draws: int) -> str:
    return (
        f"p_bootstrap: paired bootstrap over the test items ({draws} draws, seeds averaged, ranks fixed on the "
        f"full sample); smallest p {smallest_p_bootstrap(draws):.4f}."
    )


def _known(p: float) -> float | None:
    return None if math.isnan(p) else p


def _sts(
    table: Table, root: Path, row: Row, other: Row, draws: int, seed: int
) -> dict[str, float | None]:
    column = AVERAGED[table.layout]
    paths = [[predictions_path(root, table, r, s) for s in r.seeds] for r in (row, other)]
    if not (row.cells[column].values and other.cells[column].values and _all_exist(paths)):
        return {}
    gold, index = None, None
    sims = []
    for side in paths:
        frames = [_sts_frame(path) for path in side]
        for path, frame in zip(side, frames, strict=True):
            index = frame.index if index is None else index
            gold = frame["gold"] if gold is None else gold
            _same(path, frame.index.equals(index) and frame["gold"].equals(gold))
        sims.append(np.vstack([frame["similarity"].to_numpy() for frame in frames]))  # (S, N)
    tasks = gold.index.get_level_values("task")
    rng, drawn = np.random.default_rng(seed), []
    for task in table.tasks:
        chosen = np.flatnonzero(tasks == task)
        _same(paths[0][0], chosen.size > 1)
        drawn.append(
            spearman_differences(
                gold.to_numpy()[chosen], sims[0][:, chosen], sims[1][:, chosen], draws, rng
            )
        )
    return {column: _known(two_sided(np.mean(drawn, axis=0)))}


def _faq(
    table: Table, root: Path, row: Row, other: Row, draws: int, seed: int
) -> dict[str, float | None]:
    folds = range(table.folds or 0)
    paths = [
        [predictions_path(root, table, r, s, f) for f in folds for s in r.seeds]
        for r in (row, other)
    ]
    if not _all_exist(paths):
        return {}
    means = [
        [
            _query_means([predictions_path(root, table, r, s, f) for s in r.seeds], r.protocol)
            for f in folds
        ]
        for r in (row, other)
    ]
    found = {}
    for metric in FAQ_METRICS:
        rng, name = np.random.default_rng(seed), SCORE_OF.get(metric, metric)
        drawn = []
        for fold, (a, b) in enumerate(zip(*means, strict=True)):
            _same(root / "faq" / f"{table.dataset}-{fold}", a.index.equals(b.index))
            drawn.append(mean_differences(a[name].to_numpy(), b[name].to_numpy(), draws, rng))
        complete = row.cells[metric].values and other.cells[metric].values
        found[metric] = _known(two_sided(np.mean(drawn, axis=0))) if complete else None
    return found


def _query_means(paths: list[Path], protocol: str) -> pd.DataFrame:
    """Return the scores of each query, averaged over the seeds."""
    frames = [_faq_frame(path, protocol) for path in paths]
    for path, frame in zip(paths, frames, strict=True):
        _same(path, frame.index.equals(frames[0].index))
    return sum(frames) / len(frames)


def _sts_frame(path: Path) -> pd.DataFrame:
    frame = _read(path, ["task", "subset", "index", "gold", "similarity"])
    return _checked(path, frame.set_index(["task", "subset", "index"]).sort_index())


def _faq_frame(path: Path, protocol: str) -> pd.DataFrame:
    names = [SCORE_OF.get(metric, metric) for metric in FAQ_METRICS]
    frame = _read(path, ["protocol", "query", *names])
    return _checked(
        path,
        frame[frame["protocol"] == protocol].set_index("query")[names].astype(float).sort_index(),
    )


def _read(path: Path, columns: list[str]) -> pd.DataFrame:
    try:
        return pd.read_parquet(path)[columns]
    except (ValueError, LookupError, TypeError, OSError, ArrowException) as error:
        if is_passing(error):
            raise
        raise InputError(
            path, f"no predictions that can be read ({error})", "evaluate this run again"
        ) from None


def _checked(path: Path, frame: pd.DataFrame) -> pd.DataFrame:
    if frame.index.has_duplicates or not np.isfinite(frame.to_numpy(float)).all():
        raise InputError(
            at(path),
            "an item occurs twice, or a prediction is no number",
            "evaluate this run again",
        )
    return frame


def _all_exist(paths: list[list[Path]]) -> bool:
    return all(path.is_file() for side in paths for path in side)


def _same(path: Path, same: bool) -> None:
    if not same:
        raise InputError(
            at(path),
            "its items are not those of the run it is compared with",
            "evaluate both on the same data",
        )
