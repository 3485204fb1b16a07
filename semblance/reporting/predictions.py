"""The per-item predictions behind a table: where they lie, and what is read of them."""

import itertools
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd
from pyarrow import ArrowException

from semblance.errors import InputError, is_transient
from semblance.layout import RECORD, SCORES_OF, fold_corpus, place
from semblance.provenance import checked_digest
from semblance.reporting.layouts import find_layout
from semblance.reporting.table import Row, Table

ITEM = ["task", "subset", "index"]  # names an item of an STS test set


def predictions_path(results: Path, table: Table, row: Row, seed: int, fold: int | None) -> Path:
    """Return where the predictions of a run lie below the results folder."""
    template = SCORES_OF[find_layout(table.layout).tests]
    corpus = row.corpus
    if fold is not None:
        corpus = fold_corpus(table.dataset, fold)
    run = {"corpus": corpus, "base": row.base, "method": row.method, "seed": seed}
    return Path(place(results, template, **run)) / "predictions.parquet"


def prediction_digests(table: Table, results: str | Path) -> dict[str, str]:
    """Check the predictions behind a table against the records beside them; return {path: sha256}.

    Files that do not exist are left out: their cells are missing, or have no bootstrap.
    """
    rows = [all_paths(Path(results), table, row) for row in table.rows]
    # Rows of two protocols share predictions.
    paths = dict.fromkeys(filter(Path.is_file, itertools.chain(*rows)))
    return {str(path): checked_digest(path.parent / RECORD, path) for path in paths}


def paths_of_seed(results: Path, table: Table, row: Row, seed: int) -> list[Path]:
    """Return the predictions behind a row's value of one seed: one file, or one a fold."""
    return [predictions_path(results, table, row, seed, fold) for fold in folds(table)]


def all_paths(results: Path, table: Table, row: Row) -> list[Path]:
    """Return all predictions behind a row, by seed and fold."""
    return [path for seed in row.seeds for path in paths_of_seed(results, table, row, seed)]


def folds(table: Table) -> Iterable[int | None]:
    """Return the numbers of a table's folds; None alone for a table without folds."""
    if find_layout(table.layout).over_folds:
        return range(table.folds or 0)
    return (None,)


def sts_frame(path: Path) -> pd.DataFrame:
    """Return gold and similarity of each item of a run on STS, by task, subset and index."""
    frame = read_predictions(path, [*ITEM, "gold", "similarity"])
    return _indexed(path, frame, ITEM)


def label_frame(path: Path) -> pd.DataFrame:
    """Return whether each test item of the transfer tasks got its label, by task and index."""
    frame = read_predictions(path, ["task", "part", "index", "gold", "predicted"])
    frame = frame[frame["part"] == "test"].drop(columns="part")
    frame = _indexed(path, frame, ["task", "index"])
    return (frame["gold"] == frame["predicted"]).astype(float).to_frame("right")


def faq_frame(path: Path, protocol: str, names: list[str]) -> pd.DataFrame:
    """Return the named columns of each query of a run on a FAQ bank, by its id and its group."""
    frame = read_predictions(path, ["protocol", "query", "group", *names])
    frame = frame[frame["protocol"] == protocol].drop(columns="protocol")
    return _indexed(path, frame, ["query", "group"]).astype(float)


def _indexed(path: Path, frame: pd.DataFrame, index: list[str]) -> pd.DataFrame:
    """Return the numbers of each item, sorted; raises InputError if one is not finite."""
    frame = frame.set_index(index).sort_index()
    if frame.index.has_duplicates or not np.isfinite(frame.to_numpy(float)).all():
        problem = "an item occurs twice, or a prediction is not a finite number"
        raise InputError(path, problem, "evaluate this run again")
    return frame


def read_predictions(path: Path, columns: list[str]) -> pd.DataFrame:
    """Read some columns of a run's predictions; raises InputError if they are not there."""
    try:
        return pd.read_parquet(path)[columns]
    except (ValueError, LookupError, TypeError, OSError, ArrowException) as error:
        if is_transient(error):
            raise
        problem = f"these predictions cannot be read ({error})"
        raise InputError(path, problem, "evaluate this run again") from None
