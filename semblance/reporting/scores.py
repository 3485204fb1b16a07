"""The one long CSV of scores: every number a table may show, one a line, checked on the way in.

A value stands in its natural unit (correlations in [-1, 1], accuracies and MAP in [0, 1]) and
unrounded. Nothing is filled in: a score that is absent stays absent, and one that is no number
stops the reader.
"""

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd

from semblance.errors import InputError, at
from semblance.files import open_text, write_text
from semblance.layout import RECORD
from semblance.names import SCORE_COLUMNS, SCORE_KEY
from semblance.provenance import Record, checked, read_records
from semblance.settings import parse_json

COLUMNS = SCORE_COLUMNS
KEY = SCORE_KEY
MAY_BE_EMPTY = frozenset({"fold", "subset", "phi"})
RANGES = {
    "spearman": (-1.0, 1.0),
    "pearson": (-1.0, 1.0),
    "alignment": (0.0, 4.0),
    "uniformity": (-8.0, 0.0),
    "steps": (1.0, 1e9),
    "acc@1": (0.0, 1.0),
    "acc@3": (0.0, 1.0),
    "acc@5": (0.0, 1.0),
    "map": (0.0, 1.0),
    "accuracy": (0.0, 1.0),
    "f1": (0.0, 1.0),
}
MOST_BYTES = 1 << 26  # of a score file; the long CSV of 679 runs has some 10 MB
SLACK = 1e-9  # a correlation computed in floating point may pass 1 by a few units of the last place


def collect(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Join score files into one frame, sorted by key, the same whatever the order of ``paths``.

    Raises InputError (``file:line``) for a wrong header or field, a value that is missing, NaN,
    infinite or outside its metric's range, and for a key that occurs twice.
    """
    seen: dict[tuple, str] = {}
    records = []
    for path in paths:
        for place, record in _records(Path(path)):
            key = tuple(record[name] for name in KEY)
            if key in seen:
                raise InputError(
                    place,
                    f"this score stands twice, first at {seen[key]}",
                    "evaluate each run once, or list each file once",
                )
            seen[key] = place
            records.append(record)
    records.sort(key=lambda record: tuple(record[name] for name in KEY))
    frame = pd.DataFrame(records, columns=list(COLUMNS))
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
    found = {}
    for path in map(Path, paths):
        record = checked(path.parent / RECORD, path.name)
        found[str(path)] = record["outputs"][path.name]
    return found


def score_records(paths: Iterable[str | Path]) -> dict[str, Record]:
    """Return {path: record} of the records beside score files."""
    return read_records(dict.fromkeys(Path(path).parent / RECORD for path in paths))


def read_scores(path: str | Path) -> pd.DataFrame:
    """Read one long CSV with the same checks as ``collect``."""
    return collect([path])


def write_scores(frame: pd.DataFrame, path: str | Path) -> None:
    """Write the long CSV whole."""
    write_text(path, scores_csv(frame))


def scores_csv(frame: pd.DataFrame) -> str:
    """Return the long CSV; values by ``repr``, so that reading gives the same floats."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for record in frame[list(COLUMNS)].to_dict("records"):
        writer.writerow(record | {"value": repr(float(record["value"]))})
    return buffer.getvalue()


def _records(path: Path) -> Iterator[tuple[str, dict]]:
    """Yield the scores of a file, each with its place (``file:line``)."""
    # A byte that is not UTF-8 comes in as a surrogate, which _parse refuses: so the error names its
    # line. Strict decoding would stop at a whole block of the file.
    with open_text(path, MOST_BYTES, errors="surrogateescape") as handle:
        reader = csv.reader(handle, strict=True)
        try:
            header = next(reader, [])
            if tuple(header) != COLUMNS:
                raise InputError(
                    at(path, 1), f"the header is {header}", f"expected {','.join(COLUMNS)}"
                )
            for fields in reader:
                place = at(path, reader.line_num)
                yield place, _parse(fields, place)
        except csv.Error as error:
            raise InputError(
                at(path, reader.line_num), f"cannot be read as CSV ({error})"
            ) from error


def _parse(fields: list[str], place: str) -> dict:
    if len(fields) != len(COLUMNS):
        raise InputError(
            place, f"fields: {len(fields)} instead of {len(COLUMNS)}", "write this file again"
        )
    record: dict = dict(zip(COLUMNS, fields, strict=True))
    for name, field in record.items():
        if not field.isprintable():
            raise InputError(place, f"{name} is not printable UTF-8 text", "write this file again")
    empty = [name for name in COLUMNS if not record[name] and name not in MAY_BE_EMPTY]
    if empty:
        raise InputError(
            place, f"no value for {', '.join(empty)}", "leave out the whole line of a missing score"
        )
    if bool(record["subset"]) != (record["aggregation"] == "subset"):
        raise InputError(
            place,
            "names a subset under another aggregation, or none under the aggregation 'subset'",
            "write this file again",
        )
    record["seed"] = _integer(record, "seed", 0, place)
    record["n"] = _integer(record, "n", 1, place)
    record["value"] = _value(record, place)
    return record


def _integer(record: dict, name: str, least: int, place: str) -> int:
    text = record[name]
    if not re.fullmatch("[0-9]{1,18}", text) or int(text) < least:
        raise InputError(
            place, f"{name} is {text!r}", f"expected a whole number of at least {least}"
        )
    return int(text)


def _value(record: dict, place: str) -> float:
    metric = record["metric"]
    text = record["value"]
    if metric not in RANGES:
        raise InputError(place, f"unknown metric {metric!r}", f"known: {', '.join(RANGES)}")
    if not re.fullmatch(r"-?[0-9]{1,20}(\.[0-9]{0,20})?(e[+-]?[0-9]{1,3})?|-?(nan|inf)", text):
        raise InputError(place, f"the value {text!r:.80} is not a number")
    value = float(text)
    low, high = RANGES[metric]
    if not math.isfinite(value) or not low - SLACK <= value <= high + SLACK:
        raise InputError(
            place, f"{metric} is {text}", f"expected a number in [{low:g}, {high:g}], unrounded"
        )
    return value
