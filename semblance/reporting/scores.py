"""The one long CSV of scores: every number that a table may show, one a line.

A value stands in its natural unit (correlations in [-1, 1], accuracies and MAP in [0, 1]) and
unrounded. Nothing is filled in: a score that is absent stays absent, and one that is no number
stops the reader.
"""

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd

from semblance.errors import InputError, at
from semblance.layout import RECORD
from semblance.names import FAQ_METRICS, SCORE_COLUMNS, SCORE_KEY, STEPS, STS_TASKS, UNMOVED
from semblance.provenance import Record, checked_digest, read_records
from semblance.reporting.layouts import mean
from semblance.settings import parse_json

RANGES = {
    **dict.fromkeys(("spearman", "pearson"), (-1.0, 1.0)),
    "alignment": (0.0, 4.0),
    "uniformity": (-8.0, 0.0),
    STEPS: (1.0, 1e9),
    UNMOVED: (1.0, 1e9),
    **dict.fromkeys((*FAQ_METRICS, "accuracy", "f1"), (0.0, 1.0)),
}
SLACK = 1e-9  # a correlation computed in floating point may pass 1 by a few units of the last place


def collect(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Join score files into one frame, sorted by key, the same whatever the order of ``paths``.

    Raises InputError (``file:line``) for a value that is missing, NaN or outside its metric's
    range, and for a key that occurs twice.
    """
    lines: dict[tuple, tuple[str, dict]] = {}
    for path in paths:
        for place, record in _scores_in(Path(path)):
            key = tuple(record[name] for name in SCORE_KEY)
            # Which of two values is right nobody can tell, and a mean of both would be neither.
            if key in lines:
                problem = f"this score stands twice, first at {lines[key][0]}"
                advice = "evaluate each run once, or list each file once"
                raise InputError(place, problem, advice)
            lines[key] = (place, record)
    records = [record for _, (_, record) in sorted(lines.items())]
    frame = pd.DataFrame(records, columns=list(SCORE_COLUMNS))
    return frame.astype({"seed": "int64", "n": "int64", "value": "float64"})


def score_paths(root: str | Path, runs: str) -> list[str]:
    """Return the score file of each run and seed below ``root``.

    ``runs`` is JSON, because a command line cannot hold hundreds of paths:
    ``{"sts/nli/bert-base/simcse": [1, 2, 3], ...}``. Raises InputError for any other JSON.
    """
    seeds = parse_json(runs, "--runs")
    try:
        return [f"{root}/{run}/seed-{int(seed)}/scores.csv" for run in seeds for seed in seeds[run]]
    except (TypeError, ValueError, LookupError) as error:
        raise InputError("--runs", f"not a JSON of runs and seeds ({error})") from None


def score_digests(paths: Iterable[str | Path]) -> dict[str, str]:
    """Check each run's score file against the ``record.json`` beside it; return {path: sha256}."""
    return {str(path): checked_digest(path.parent / RECORD, path) for path in map(Path, paths)}


def score_records(paths: Iterable[str | Path]) -> dict[str, Record]:
    """Return {path: record} of the records beside score files."""
    return read_records(dict.fromkeys(Path(path).parent / RECORD for path in paths))


def whole_scores(path: str | Path) -> dict[tuple[str, str], float | None]:
    """Return {(task, metric): score} over all pairs of a task, from the score file of a model.

    The task ``average`` is the mean Spearman's ρ of the seven STS tasks; None if one is missing.
    """
    frame = collect([path])
    whole = frame[frame["aggregation"] == "all"]
    values = {(row.task, row.metric): row.value for row in whole.itertuples()}
    average = mean(values.get((task, "spearman")) for task in STS_TASKS)
    return values | {("average", "spearman"): average}


def scores_csv(frame: pd.DataFrame) -> str:
    """Return the long CSV; values by ``repr``, so that reading gives the same floats."""
    return frame.to_csv(columns=list(SCORE_COLUMNS), index=False, lineterminator="\n")


def scores_parquet(frame: pd.DataFrame) -> bytes:
    """Return the same as Parquet, where φ is a number and what is blank is null."""
    typed = frame[list(SCORE_COLUMNS)].replace("", None).astype({"phi": "float64"})
    return typed.to_parquet(index=False)


def _scores_in(path: Path) -> Iterator[tuple[str, dict]]:
    """Yield the scores of a file, each with its place (``file:line``)."""
    with open(path, encoding="utf-8", newline="") as handle:
        reader = csv.reader(handle, strict=True)
        try:
            header = tuple(next(reader, ()))
            if header != SCORE_COLUMNS:
                raise ValueError(f"the header is not {','.join(SCORE_COLUMNS)}")
            for fields in reader:
                record = dict(zip(SCORE_COLUMNS, fields, strict=True))
                yield at(path, reader.line_num), record | _numbers(record)
        except (ValueError, csv.Error) as error:
            place = at(path, max(1, reader.line_num))
            raise InputError(place, f"not a score ({error})", "evaluate this run again") from None


def _numbers(record: dict[str, str]) -> dict[str, float]:
    """Return the numbers of a score; raises ValueError for a value that its metric cannot have."""
    metric = record["metric"]
    if metric not in RANGES:
        raise ValueError(f"unknown metric {metric!r}")
    value = float(record["value"])
    low, high = RANGES[metric]
    if not low - SLACK <= value <= high + SLACK:  # NaN is not in it either
        raise ValueError(f"{metric} is {value}, which is not in [{low:g}, {high:g}]")
    return {"seed": int(record["seed"]), "n": int(record["n"]), "value": value}
