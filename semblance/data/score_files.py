"""Scores that were made elsewhere, from files: one number for each task, seed and item.

- CSV, read as a user's own FAQ, or JSON lines (``.jsonl``), with the columns ``item`` and ``score``,
  and if wanted ``task``, ``seed``, ``cluster`` and ``gold``.
- A folder of samples of lm-evaluation-harness: ``samples_TASK_TIME.jsonl``. A filter of the answers
  makes a task of its own.
- A folder of results of MTEB: JSON files with ``task_name`` and ``scores``. There a task is an item,
  the mean of its splits and languages, as in MTEB.
"""

import importlib
import json
import math
import re
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from semblance.data.text import read_json_lines
from semblance.errors import InputError, at
from semblance.named_modules import OWN_PAIRS
from semblance.provenance import read_json
from semblance.score_sets import ScoreSet

SAMPLES = re.compile(r"samples_(?P<task>.+?)(_\d{4}-\d\d-\d\dT.*)?\.jsonl")
ITEMS = ("item", "doc_id", "query", "query_id", "id")  # columns that name an item, the first there
Row = dict[str, Any]


def read_set(path: str, item: str | None = None, score: str = "score") -> ScoreSet:
    """Return the scores of a file or folder; InputError, with the line, for what is none.

    ``item`` and ``score`` name the columns.
    """
    place = Path(path).expanduser()
    stem = place.name.removesuffix(".gz").rpartition(".")[0]
    scores = ScoreSet(place.name if place.is_dir() else stem or place.name, path)
    rows = _of_folder(place, item, score) if place.is_dir() else _of_file(place, item, score)
    for where, row in rows:
        _add(scores, where, row, item)
    if not scores.tasks:
        raise InputError(place, "it holds no scores")
    return scores


def _of_file(path: Path, item: str | None, score: str) -> Iterator[tuple[str, Row]]:
    """Yield each row of a file, its score under that name, and where it stands."""
    if not path.name.removesuffix(".gz").endswith(".jsonl"):
        others = ("task", "seed", "cluster", "gold", *([item] if item else ITEMS))
        # A part of the application, which the reproduction does not import.
        rows = importlib.import_module(OWN_PAIRS).read_own_scores(path, score, others)
        yield from ((at(path, line), row) for line, row in rows)
        return
    samples = SAMPLES.fullmatch(path.name)
    for line, row in read_json_lines(path):
        if score not in row:
            advice = f"--score names one of {', '.join(map(str, list(row)[:20]))}"
            advice += "; of a folder with several metrics name a file" * bool(samples)
            raise InputError(at(path, line), f"no column {score}", advice)
        if samples:
            row["task"] = f"{samples['task']} {row.get('filter', 'none')}".removesuffix(" none")
        yield at(path, line), row | {"score": row[score]}


def _of_folder(folder: Path, item: str | None, score: str) -> Iterator[tuple[str, Row]]:
    """Yield each sample of the harness or, if there is none, the main score of each task of MTEB."""
    samples = [path for path in sorted(folder.rglob("*.jsonl")) if SAMPLES.fullmatch(path.name)]
    for path in samples:
        yield from _of_file(path, item, score)
    if samples:
        return
    results = {path: read_json(path) for path in sorted(folder.rglob("*.json"))}
    rows = [_of_mteb(path, one) for path, one in results.items() if isinstance(one, dict)]
    if not any(rows):
        problem = "neither samples_*.jsonl of lm-evaluation-harness nor results of MTEB"
        raise InputError(folder, problem, "name a file with the columns item and score")
    yield from filter(None, rows)


def _of_mteb(path: Path, result: dict[str, Any]) -> tuple[str, Row] | None:
    """Return the score of a task, by the mean of its splits and subsets; None for another file."""
    if "mteb_dataset_name" in result:
        problem = "a result of MTEB before 1.11, whose form is not read"
        advice = "write it anew: mteb.TaskResult.from_disk(path).to_disk(path)"
        raise InputError(path, problem, advice)
    if not {"task_name", "scores"} <= result.keys():
        return None
    try:
        parts = [
            (
                f"{split} {part.get('hf_subset', 'default')}".removesuffix(" default"),
                part["main_score"],
            )
            for split, parts in result["scores"].items()
            for part in parts
        ]
    except (AttributeError, KeyError, TypeError):
        raise InputError(path, "not a result of MTEB: it lacks scores.SPLIT[].main_score") from None
    if not parts:
        raise InputError(path, "a result of MTEB without a score")
    score = statistics.fmean(_number(part, str(path)) for _, part in parts)
    data = (
        f"{str(result.get('dataset_revision')):.8} ({', '.join(sorted(name for name, _ in parts))})"
    )
    return str(path), {"item": str(result["task_name"]), "score": score, "revision": data}


def _add(scores: ScoreSet, where: str, row: Row, item: str | None) -> None:
    """Add the score of a row, its gold, its cluster and the revision of its data."""
    name = _text(row, item or next((name for name in ITEMS if name in row), ITEMS[0]), where)
    task, seed = str(row.get("task", "")), str(row.get("seed", "1"))
    items = scores.tasks.setdefault(task, {}).setdefault(seed, {})
    if name in items:
        problem = f"item {name!r:.80} of task {task!r:.80} and seed {seed!r:.40} stands twice"
        raise InputError(where, problem, "give each item one score")
    items[name] = _number(row["score"], where)
    if "gold" in row:
        scores.gold.setdefault(task, {})[name] = _number(row["gold"], where)
    if "cluster" in row:
        scores.clusters.setdefault(task, {})[name] = _text(row, "cluster", where)
    if "revision" in row:
        scores.revisions[name] = str(row["revision"])


def _text(row: Row, name: str, where: str) -> str:
    value = row.get(name)
    if value is None or value == "":
        raise InputError(where, f"{name} is missing", "name the column of the items by --item")
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def _number(value: Any, where: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number) or "_" in str(value):  # Python alone reads 1_0 as a number
        problem = f"score {value!r:.80} is no finite number"
        raise InputError(where, problem, "write it like 3 or 0.25")
    return number
